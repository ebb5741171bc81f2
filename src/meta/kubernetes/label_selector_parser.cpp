#include <string>
#include <utility>
#include <vector>

#include "base/internal/text.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/validation.hpp"
#include "meta/quote.hpp"

namespace kubexx::meta {

namespace {

enum class Token : std::uint8_t {
  End,
  Identifier,
  In,
  NotIn,
  Open,
  Close,
  Comma,
  Not,
  Equals,
  DoubleEquals,
  NotEquals,
  Greater,
  Less,
};

bool is_symbol(char c) {
  return std::string_view("=!(),><").find(c) != std::string_view::npos;
}

/// Recursive descent over one token of lookahead. "in" and "notin" are words of the language only where an operator
/// stands; as a key or a value they are plain identifiers.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) { advance(); }

  Result<std::vector<LabelRequirement>> parse() {
    std::vector<LabelRequirement> requirements;
    if (token_ == Token::End) return requirements;
    while (true) {
      if (!at_identifier() && token_ != Token::Not) {
        return requirements.empty() ? expected("!, identifier, or 'end of string'") : expected("identifier after ','");
      }
      auto requirement = parse_requirement();
      if (!requirement) return requirement.error().with_context("unable to parse requirement");
      requirements.push_back(*std::move(requirement));
      if (token_ == Token::End) return requirements;
      if (token_ != Token::Comma) return expected("',' or 'end of string'");
      advance();
    }
  }

 private:
  bool at_identifier() const { return token_ == Token::Identifier || token_ == Token::In || token_ == Token::NotIn; }

  Error expected(std::string_view what) const {
    return Error::decode("found '" + std::string(literal_.substr(0, 100)) + "', expected: " + std::string(what));
  }

  void advance() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    std::size_t length = 0;
    if (rest_.empty()) {
      token_ = Token::End;
    } else if (is_symbol(rest_.front())) {
      const bool equals_follows = rest_.size() > 1 && rest_[1] == '=';
      length = 1;
      switch (rest_.front()) {
        case '(':
          token_ = Token::Open;
          break;
        case ')':
          token_ = Token::Close;
          break;
        case ',':
          token_ = Token::Comma;
          break;
        case '>':
          token_ = Token::Greater;
          break;
        case '<':
          token_ = Token::Less;
          break;
        case '=':
          token_ = equals_follows ? Token::DoubleEquals : Token::Equals;
          length += equals_follows ? 1 : 0;
          break;
        default:
          token_ = equals_follows ? Token::NotEquals : Token::Not;
          length += equals_follows ? 1 : 0;
      }
    } else {
      while (length < rest_.size() && !is_space(rest_[length]) && !is_symbol(rest_[length])) ++length;
      const auto word = rest_.substr(0, length);
      token_ = word == "in" ? Token::In : word == "notin" ? Token::NotIn : Token::Identifier;
    }
    literal_ = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }

  Result<LabelRequirement> parse_requirement() {
    const bool negated = token_ == Token::Not;
    if (negated) advance();
    if (!at_identifier()) return expected("identifier");
    std::string key(literal_);
    if (const auto complaints = check_qualified_name(key); !complaints.empty()) {
      return Error::decode("key: Invalid value: " + quote(key) + ": " + join_complaints(complaints));
    }
    advance();
    if (negated) return LabelRequirement::make(std::move(key), SelectorOperator::DoesNotExist);
    if (token_ == Token::End || token_ == Token::Comma) {
      return LabelRequirement::make(std::move(key), SelectorOperator::Exists);
    }
    const auto op = parse_operator();
    if (!op) return expected("in, notin, =, ==, !=, gt, lt");
    if (*op == SelectorOperator::In || *op == SelectorOperator::NotIn) {
      auto values = parse_values();
      if (!values) return values.error();
      return LabelRequirement::make(std::move(key), *op, *std::move(values));
    }
    std::string value;  // "key=" asks for the empty value
    if (at_identifier()) {
      value = literal_;
      advance();
    } else if (token_ != Token::End && token_ != Token::Comma) {
      return expected("identifier");
    }
    return LabelRequirement::make(std::move(key), *op, {std::move(value)});
  }

  std::optional<SelectorOperator> parse_operator() {
    static constexpr std::pair<Token, SelectorOperator> kOperators[] = {
        {Token::In, SelectorOperator::In},
        {Token::NotIn, SelectorOperator::NotIn},
        {Token::Equals, SelectorOperator::Equals},
        {Token::DoubleEquals, SelectorOperator::DoubleEquals},
        {Token::NotEquals, SelectorOperator::NotEquals},
        {Token::Greater, SelectorOperator::GreaterThan},
        {Token::Less, SelectorOperator::LessThan},
    };
    for (const auto& [token, op] : kOperators) {
      if (token != token_) continue;
      advance();
      return op;
    }
    return std::nullopt;
  }

  /// "(a,b)"; an empty place between commas or parentheses is the empty value.
  Result<std::vector<std::string>> parse_values() {
    if (token_ != Token::Open) {
      return Error::decode("found '" + std::string(literal_.substr(0, 100)) + "' expected: '('");
    }
    advance();
    std::vector<std::string> values;
    while (true) {
      if (at_identifier()) {
        values.emplace_back(literal_);
        advance();
      } else if (token_ == Token::Comma || token_ == Token::Close) {
        values.emplace_back();
      } else {
        return expected("',', ')' or identifier");
      }
      if (token_ == Token::Close) {
        advance();
        return values;
      }
      if (token_ != Token::Comma) return expected("',' or ')'");
      advance();
    }
  }

  std::string_view rest_;
  std::string_view literal_;
  Token token_ = Token::End;
};

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  auto requirements = Parser(text).parse();
  if (!requirements) return requirements.error();
  return LabelSelector(*std::move(requirements));
}

}  // namespace kubexx::meta
