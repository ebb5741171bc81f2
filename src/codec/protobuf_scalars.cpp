#include <algorithm>
#include <chrono>

#include "codec/protobuf_walker.hpp"

namespace kubexx::codec {

using meta::detail::Tag;
using meta::detail::word_of;

namespace {

constexpr std::int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

void put_digits(char* at, unsigned count, std::uint32_t value) {
  for (; count > 0; value /= 10) at[--count] = static_cast<char>('0' + value % 10);
}

void put_date(char* out, std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  put_digits(out, 4, static_cast<std::uint32_t>(static_cast<int>(date.year())));
  put_digits(out + 5, 2, static_cast<unsigned>(date.month()));
  put_digits(out + 8, 2, static_cast<unsigned>(date.day()));
}

/// "2006-01-02T15:04:05Z" or with six decimals, of which the date is there; the size.
std::size_t put_time(char* out, std::uint32_t of_day, std::uint32_t micros, bool micro) {
  std::memcpy(out + 10, "T00:00:00Z", 10);
  put_digits(out + 11, 2, of_day / 3600);
  put_digits(out + 14, 2, of_day / 60 % 60);
  put_digits(out + 17, 2, of_day % 60);
  if (!micro) return 20;
  out[19] = '.';
  put_digits(out + 20, 6, micros);
  out[26] = 'Z';
  return 27;
}

/// The numbers and texts of a small message, by field number from 1.
struct Small {
  std::uint64_t numbers[4] = {};
  std::string_view texts[4] = {};
  bool has[4] = {};

  bool read(std::string_view bytes) {
    WireReader in(bytes);
    while (!in.done()) {
      std::uint32_t number = 0;
      WireType type{};
      if (!in.tag(number, type)) return false;
      if (number > 3) {
        if (!in.skip(type)) return false;
        continue;
      }
      has[number] = true;
      if (type == WireType::Varint) {
        if (!in.varint(numbers[number])) return false;
      } else if (type == WireType::Bytes) {
        if (!in.bytes(texts[number])) return false;
      } else {
        return false;
      }
    }
    return true;
  }
};

}  // namespace

bool ProtobufWalker::time(std::string_view bytes, bool micro, Word& out, bool& zero) {
  zero = bytes.empty();
  if (zero) {
    out = word_of(Tag::Null);
    return true;
  }
  WireReader in(bytes);
  std::uint64_t numbers[3] = {};
  // As every server writes them: the seconds, and nanoseconds that are usually 0.
  for (std::uint8_t number = 1; number < 3 && !in.done() && *in.at == number << 3; ++number) {
    ++in.at;
    if (!in.varint(numbers[number])) return false;
  }
  if (!in.done()) {
    Small stamp;
    if (!stamp.read(bytes)) return false;
    std::copy(stamp.numbers, stamp.numbers + 3, numbers);
  }
  const auto seconds = static_cast<std::int64_t>(numbers[1]);
  const auto nanos = static_cast<std::int32_t>(numbers[2]);
  if (seconds < kFirstSecond || seconds > kLastSecond || nanos < 0 || nanos > 999'999'999) return false;
  std::int64_t day = seconds / 86400;
  if (seconds % 86400 < 0) --day;
  if (day != last_day_) {
    put_date(last_date_, day);
    last_day_ = day;
  }
  char buffer[32];
  std::memcpy(buffer, last_date_, 10);
  const std::size_t size = put_time(buffer, static_cast<std::uint32_t>(seconds - day * 86400),
                                    static_cast<std::uint32_t>(nanos / 1000), micro);
  out = writer_.string(buffer, size);
  return true;
}

bool ProtobufWalker::quantity(std::string_view bytes, Word& out) {
  if (bytes.size() > 2 && bytes[0] == '\x0a' && bytes.size() < 128 &&
      bytes.size() - 2 == static_cast<std::size_t>(bytes[1])) {
    out = text(bytes.substr(2));
    return true;
  }
  Small amount;
  if (!amount.read(bytes)) return false;
  out = amount.texts[1].empty() ? writer_.string("0", 1) : text(amount.texts[1]);
  return true;
}

bool ProtobufWalker::int_or_string(std::string_view bytes, Word& out) {
  Small either;
  if (!either.read(bytes)) return false;
  out = either.numbers[1] == 1 ? text(either.texts[3]) : writer_.integer(static_cast<std::int32_t>(either.numbers[2]));
  return true;
}

bool ProtobufWalker::json(std::string_view bytes, int depth, Word& out) {
  Small raw;
  if (!raw.read(bytes)) return fail("malformed JSON inside");
  if (raw.texts[1].empty()) {
    out = word_of(Tag::Null);
    return true;
  }
  json_.options().max_depth = options_.max_depth - depth;
  auto parsed = json_.decode(raw.texts[1]);
  if (!parsed) {
    fault_ = "JSON inside: " + parsed.error().message();
    return false;
  }
  out = writer_.copy(parsed->root(), depth);
  return true;
}

bool ProtobufWalker::items(std::string_view bytes, Word& out) {
  WireReader in(bytes);
  const std::size_t first = writer_.mark();
  while (!in.done()) {
    std::uint32_t number = 0;
    WireType type{};
    std::string_view item;
    if (!in.tag(number, type)) return false;
    if (number != 1) {
      if (!in.skip(type)) return false;
      continue;
    }
    if (type != WireType::Bytes || !in.bytes(item)) return false;
    writer_.push(0, text(item));
  }
  out = writer_.close_list(first);
  return true;
}

/// The fields of CustomResourceDefinitions that are a schema or something else.
bool ProtobufWalker::schema_or(const Field& field, std::string_view bytes, int depth, const Node* node, Word& out) {
  if (depth > options_.max_depth) return fail("nested too deeply");
  WireReader in(bytes);
  const std::uint32_t schema_number = field.wire == Wire::OrBool ? 2 : 1;
  bool allows = false;
  bool has_schema = false;
  std::string_view schema_bytes;
  const std::size_t first = writer_.mark();
  bool any = false;
  while (!in.done()) {
    std::uint32_t number = 0;
    WireType type{};
    if (!in.tag(number, type)) return fail("malformed schema");
    if (number == 1 && field.wire == Wire::OrBool) {
      std::uint64_t bits = 0;
      if (type != WireType::Varint || !in.varint(bits)) return fail("malformed schema");
      allows = bits != 0;
      continue;
    }
    std::string_view payload;
    if (number > 2 || type != WireType::Bytes) {
      if (!in.skip(type)) return fail("malformed schema");
      continue;
    }
    if (!in.bytes(payload)) return fail("malformed schema");
    if (number == schema_number) {
      schema_bytes = payload;
      has_schema = true;
      continue;
    }
    Word word = 0;
    if (field.wire == Wire::OrArray) {
      if (!map_of(*field.message, payload, depth + 1, node, word)) return false;
    } else {
      word = text(payload);
    }
    any = true;
    writer_.push(0, word);
  }
  if (any) {
    out = writer_.close_list(first);
    return true;
  }
  if (has_schema) return map_of(*field.message, schema_bytes, depth, node, out);
  out = field.wire == Wire::OrBool ? word_of(Tag::Bool, allows ? 1 : 0) : word_of(Tag::Null);
  return true;
}

}  // namespace kubexx::codec
