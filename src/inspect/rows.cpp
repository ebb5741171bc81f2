#include "inspect/rows.hpp"

#include <algorithm>
#include <charconv>
#include <compare>

#include "inspect/json_text.hpp"

namespace kubexx::inspect {
namespace {

using meta::Object;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

std::vector<std::string> words_of(std::string_view filter) {
  std::vector<std::string> words;
  while (true) {
    const auto begin = filter.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    filter.remove_prefix(begin);
    auto word = std::string(filter.substr(0, filter.find_first_of(" \t")));
    filter.remove_prefix(word.size());
    std::ranges::transform(word, word.begin(), lower);
    words.push_back(std::move(word));
  }
}

/// Everything of an object that a filter looks at, in lower case; the newlines keep words from matching across.
class Haystack {
 public:
  bool has(const std::vector<std::string>& words, const Object& object, const std::vector<Column>& columns) {
    text_.clear();
    text_ += object.namespace_();
    text_ += '/';
    text_ += object.name();
    for (const auto& column : columns) {
      text_ += '\n';
      column.append(object, text_);
    }
    for (const auto& [key, value] : object.labels()) {
      text_ += '\n';
      text_ += key;
      text_ += '=';
      text_ += value.string();
    }
    std::ranges::transform(text_, text_.begin(), lower);
    return std::ranges::all_of(words, [&](const auto& word) { return text_.find(word) != std::string::npos; });
  }

 private:
  std::string text_;
};

struct Candidate {
  const Object* object;
  std::string_view namespace_;
  std::string_view name;
  std::string text;   // what it is sorted by, when that is a column
  double number = 0;  // the same of a column of numbers
};

enum class Order : std::uint8_t { Key, Name, Age, Text, Number };

std::weak_ordering compare(const Candidate& a, const Candidate& b, Order order) {
  std::weak_ordering result = std::weak_ordering::equivalent;
  if (order == Order::Text) result = a.text <=> b.text;
  if (order == Order::Number)
    result = a.number < b.number   ? std::weak_ordering::less
             : b.number < a.number ? std::weak_ordering::greater
                                   : std::weak_ordering::equivalent;
  if (order == Order::Name) result = a.name <=> b.name;
  // The youngest has the latest time.
  if (order == Order::Age) result = b.object->creation_timestamp() <=> a.object->creation_timestamp();
  if (result == std::weak_ordering::equivalent) result = a.namespace_ <=> b.namespace_;
  if (result == std::weak_ordering::equivalent) result = a.name <=> b.name;
  return result;
}

}  // namespace

RowWindow find_rows(const store::Snapshot& snapshot, const std::vector<Column>& columns, const RowQuery& query) {
  const auto words = words_of(query.filter);
  const auto column = std::ranges::find(columns, query.sort, &Column::name);
  Order order = query.sort == "Name" ? Order::Name : query.sort == "Age" ? Order::Age : Order::Key;
  if (column != columns.end()) order = column->number ? Order::Number : Order::Text;

  std::vector<Candidate> candidates;
  if (words.empty()) candidates.reserve(snapshot.size());
  Haystack haystack;
  snapshot.for_each([&](const Object& object) {
    if (!words.empty() && !haystack.has(words, object, columns)) return;
    auto& candidate = candidates.emplace_back(Candidate{&object, object.namespace_(), object.name(), {}});
    if (order != Order::Text && order != Order::Number) return;
    column->append(object, candidate.text);
    const char* begin = candidate.text.data();
    if (order == Order::Number) std::from_chars(begin, begin + candidate.text.size(), candidate.number);
  });

  RowWindow window;
  window.version = snapshot.version();
  window.total = snapshot.size();
  window.matched = candidates.size();
  window.offset = std::min(query.offset, candidates.size());
  const auto first = candidates.begin() + static_cast<std::ptrdiff_t>(window.offset);
  const auto last = first + static_cast<std::ptrdiff_t>(std::min(query.limit, candidates.size() - window.offset));
  const auto before = [&](const Candidate& a, const Candidate& b) {
    const auto result = compare(a, b, order);
    return query.descending ? result > 0 : result < 0;
  };
  if (first != candidates.begin() && first != candidates.end()) {
    std::nth_element(candidates.begin(), first, candidates.end(), before);
  }
  std::partial_sort(first, last, candidates.end(), before);
  for (auto candidate = first; candidate != last; ++candidate) window.objects.push_back(*candidate->object);
  return window;
}

std::string to_json(const RowWindow& window, const std::vector<Column>& columns) {
  JsonText text;
  std::string cell;
  text.object([&] {
    text.field("version", window.version);
    text.field("total", window.total);
    text.field("matched", window.matched);
    text.field("offset", window.offset);
    text.list("columns", [&] {
      for (const auto& column : columns) text.value(column.name);
    });
    text.list("rows", [&] {
      for (const auto& object : window.objects) {
        text.object([&] {
          text.field("ns", object.namespace_());
          text.field("name", object.name());
          text.field("rv", object.resource_version());
          text.field("created", object.creation_timestamp());
          if (!object.deletion_timestamp().empty()) text.field("deleting", true);
          text.list("cells", [&] {
            for (const auto& column : columns) {
              cell.clear();
              column.append(object, cell);
              text.value(std::string_view(cell));
            }
          });
        });
      }
    });
  });
  return text.take();
}

}  // namespace kubexx::inspect
