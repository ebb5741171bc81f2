#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/stream.hpp"
#include "meta/internal/document_writer.hpp"
#include "meta/internal/projection.hpp"

namespace kubexx::meta::detail {

/// Finds the structural characters of a text (simdjson's first stage) and keeps them as offsets.
class JsonIndex {
 public:
  JsonIndex();
  ~JsonIndex();
  Result<void> build(std::string_view json);
  const std::uint32_t* begin() const noexcept { return begin_; }
  const std::uint32_t* end() const noexcept { return end_; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  const std::uint32_t* begin_ = nullptr;
  const std::uint32_t* end_ = nullptr;
};

/// One walk over the structural characters of a text that writes a document: what JsonDecoder and JsonWatchReader
/// share.
class JsonWalker {
 public:
  explicit JsonWalker(DecodeOptions options) : options_(std::move(options)) {}

  DecodeOptions& options() noexcept { return options_; }
  /// The next piece of a stream has so many bytes: in bulk, parts that came before are recognised by their bytes.
  void expect(std::size_t piece_size);
  /// An object that `knower` has already is not read; null: nobody has any.
  Result<Object> decode(std::string_view json, const StreamSink* knower = nullptr);

  struct Event {
    std::string type;
    Object object;
  };
  /// {"type": ..., "object": ...} in either order; only the object becomes a document.
  Result<Event> decode_event(std::string_view json, const StreamSink* knower = nullptr);

 private:
  using Node = Projection::Node;
  using Cursor = const std::uint32_t*;  // into the index; null: an error was noted
  struct Span {
    const char* begin = nullptr;
    std::size_t size = 0;
  };

  Result<void> open(std::string_view json);
  void begin_document(const Projection& projection);
  Result<Object> finish(Word root);
  Cursor envelope(Event& event, Cursor& object);

  // json_identity.cpp
  Object find_known(Cursor object, const StreamSink& knower);
  bool read_identity(Cursor object, ItemIdentity& out);
  bool read_metadata(Cursor metadata, ItemIdentity& out);
  bool plain_string(std::uint32_t at, Cursor next, std::string_view& out);

  // Each takes the character it begins with, or the one behind that, and returns the one behind the value.
  Cursor value(Cursor next, Word& out, int depth, const Node* node);
  Cursor map(Cursor next, Word& out, int depth, const Node* node);
  Cursor list(Cursor next, Word& out, int depth, const Node* node);
  Cursor part(Cursor open, Word& out, int depth);
  Cursor skip(Cursor next);
  Cursor skip_far(Cursor next, std::size_t depth);
  bool scalar(Cursor next, Word& out);
  bool number(std::string_view word, std::size_t at, Word& out);
  bool string(std::uint32_t at, Cursor next, Span& out);
  bool unescape(std::size_t begin, std::size_t end, Span& out);
  void inject_defaults(std::size_t first);

  Cursor fail(std::size_t offset, const char* message);
  Cursor end_of_input();
  Error failure();

  DecodeOptions options_;
  JsonIndex index_;
  DocumentWriter writer_;
  std::string unescaped_;
  const char* text_ = nullptr;
  std::size_t size_ = 0;
  Cursor end_ = nullptr;
  std::size_t next_backslash_ = 0;  // no backslash stands between the current position and this one
  int max_depth_ = 0;
  std::uint32_t path_ = 0;  // of the value under way
  std::size_t fault_offset_ = 0;
  std::string fault_;
};

/// The inside of the string that opens at `at`; `next` is behind it. Between its closing quote and the next structural
/// character there is only white space, so the end is found from behind.
inline bool JsonWalker::string(std::uint32_t at, Cursor next, Span& out) {
  std::size_t close = (next == end_ ? size_ : *next) - 1;
  while (text_[close] != '"') --close;
  if (close <= at) {
    fail(at, "unterminated string");
    return false;
  }
  out = {text_ + at + 1, close - at - 1};
  return next_backslash_ >= close || unescape(at + 1, close, out);
}

}  // namespace kubexx::meta::detail
