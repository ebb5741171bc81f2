#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/json.hpp"
#include "meta/document_writer.hpp"
#include "meta/projection.hpp"

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
  Result<Object> decode(std::string_view json);

  struct Event {
    std::string type;
    Object object;
  };
  /// {"type": ..., "object": ...} in either order; only the object becomes a document.
  Result<Event> decode_event(std::string_view json);

 private:
  using Node = Projection::Node;

  Result<void> open(std::string_view json);
  Result<Object> root_object(const Projection& projection);
  bool envelope(Event& event, const std::uint32_t*& object);
  Result<Object> failure();
  bool fail(std::size_t offset, const char* message) noexcept;
  bool value(std::uint32_t at, Word& out, int depth, const Node* node);
  bool map(Word& out, int depth, const Node* node, std::uint32_t open);
  bool list(Word& out, int depth, const Node* node);
  bool number(std::uint32_t at, Word& out);
  bool literal(std::uint32_t at, std::string_view text) noexcept;
  bool text(std::uint32_t at, const char*& begin, std::size_t& size);
  bool unescape(std::size_t begin, std::size_t end, const char*& out, std::size_t& size);
  bool skip(std::uint32_t at);
  std::size_t scalar_end(std::uint32_t at) const noexcept;
  void inject_defaults(std::size_t first);

  DecodeOptions options_;
  JsonIndex index_;
  DocumentWriter writer_;
  std::string unescaped_;
  std::string_view json_;
  const std::uint32_t* next_ = nullptr;  // next structural character
  const std::uint32_t* end_ = nullptr;
  std::size_t next_backslash_ = 0;  // no backslash stands between the current position and this one
  std::size_t fault_offset_ = 0;
  std::string fault_;
};

}  // namespace kubexx::meta::detail
