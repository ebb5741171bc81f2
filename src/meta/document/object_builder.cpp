#include "kubexx/meta/object_builder.hpp"

#include <vector>

#include "base/internal/assert.hpp"
#include "meta/internal/document_writer.hpp"

namespace kubexx::meta {

using detail::Tag;
using detail::Word;
using detail::word_of;

struct KUBEXX_HIDDEN ObjectBuilder::Impl {
  struct Frame {
    std::size_t first = 0;
    detail::Key outer_key = 0;  // of this container in the one around it
    bool map = false;
  };

  detail::DocumentWriter writer;
  std::vector<Frame> frames;
  detail::Key key = 0;
  bool has_key = false;
  bool has_root = false;
  Word root = 0;

  void begin(bool map) {
    KUBEXX_ASSERT(frames.empty() ? !has_root : has_key == frames.back().map);
    if (frames.size() >= static_cast<std::size_t>(detail::kMaxNesting)) writer.fail_too_deep();
    frames.push_back({writer.mark(), key, map});
    has_key = false;
  }

  void end(bool map) {
    KUBEXX_ASSERT(!frames.empty() && frames.back().map == map && !has_key);
    (void)map;
    const Frame frame = frames.back();
    frames.pop_back();
    const Word word = frame.map ? writer.close_map(frame.first) : writer.close_list(frame.first);
    key = frame.outer_key;
    has_key = !frames.empty() && frames.back().map;
    add(word);
  }

  void add(Word word) {
    if (frames.empty()) {
      KUBEXX_ASSERT(!has_root);
      root = word;
      has_root = true;
      return;
    }
    KUBEXX_ASSERT(has_key == frames.back().map);
    writer.push(key, word);
    has_key = false;
  }
};

ObjectBuilder::ObjectBuilder() : impl_(std::make_unique<Impl>()) {}
ObjectBuilder::~ObjectBuilder() = default;
ObjectBuilder::ObjectBuilder(ObjectBuilder&&) noexcept = default;
ObjectBuilder& ObjectBuilder::operator=(ObjectBuilder&&) noexcept = default;

void ObjectBuilder::begin_map() {
  impl_->begin(true);
}

void ObjectBuilder::key(NameId id) {
  KUBEXX_ASSERT(!impl_->frames.empty() && impl_->frames.back().map && !impl_->has_key);
  KUBEXX_ASSERT(static_cast<std::size_t>(id) < name_count());
  impl_->key = detail::known_key(static_cast<std::uint32_t>(id));
  impl_->has_key = true;
}

void ObjectBuilder::key(std::string_view name) {
  KUBEXX_ASSERT(!impl_->frames.empty() && impl_->frames.back().map && !impl_->has_key);
  impl_->key = impl_->writer.key(name.data(), name.size());
  impl_->has_key = true;
}

void ObjectBuilder::end_map() {
  impl_->end(true);
}

void ObjectBuilder::begin_list() {
  impl_->begin(false);
}

void ObjectBuilder::end_list() {
  impl_->end(false);
}

void ObjectBuilder::null() {
  impl_->add(word_of(Tag::Null));
}

void ObjectBuilder::boolean(bool value) {
  impl_->add(word_of(Tag::Bool, value ? 1 : 0));
}

void ObjectBuilder::integer(std::int64_t value) {
  impl_->add(impl_->writer.integer(value));
}

void ObjectBuilder::real(double value) {
  impl_->add(impl_->writer.real(value));
}

void ObjectBuilder::string(std::string_view value) {
  impl_->add(impl_->writer.string(value));
}

void ObjectBuilder::copy(Value value) {
  impl_->add(impl_->writer.copy(value, static_cast<int>(impl_->frames.size())));
}

void ObjectBuilder::set_completeness(Completeness completeness, std::string_view projection_name) {
  impl_->writer.set_cut(completeness, projection_name);
}

std::size_t ObjectBuilder::bytes() const noexcept {
  return impl_->writer.size();
}

Result<Object> ObjectBuilder::finish() {
  KUBEXX_ASSERT(impl_->frames.empty() && impl_->has_root);
  if (!impl_->has_root || !impl_->frames.empty()) {
    clear();
    return Error::decode("the object is not complete");
  }
  impl_->has_root = false;
  return impl_->writer.finish(impl_->root);
}

void ObjectBuilder::clear() noexcept {
  impl_->writer.clear();
  impl_->frames.clear();
  impl_->has_key = false;
  impl_->has_root = false;
}

}  // namespace kubexx::meta
