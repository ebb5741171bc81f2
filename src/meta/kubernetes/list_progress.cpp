#include "kubexx/meta/list_progress.hpp"

#include <functional>
#include <string>

namespace kubexx::meta {
namespace {

// Servers fill their pages; one that filters behind its storage may have a gap now and then.
constexpr int kEmptyPages = 5;

}  // namespace

Result<void> ListProgress::add(std::size_t objects) {
  objects_ += objects;
  if (objects_ <= limits_.max_objects) return {};
  return Error::transport(TransportFailure::TooLarge,
                          "the list has more than " + std::to_string(limits_.max_objects) + " objects");
}

Result<void> ListProgress::end_page(std::string_view continue_token) {
  ++pages_;
  const bool empty = objects_ == objects_before_;
  objects_before_ = objects_;
  if (continue_token.empty()) return {};
  if (!tokens_.insert(std::hash<std::string_view>{}(continue_token)).second) {
    return Error::decode("the list does not end: the server repeated a continue token");
  }
  empty_in_a_row_ = empty ? empty_in_a_row_ + 1 : 0;
  if (empty_in_a_row_ >= kEmptyPages) {
    return Error::decode("the list does not end: " + std::to_string(kEmptyPages) +
                         " pages in a row are empty and promise more");
  }
  if (pages_ < limits_.max_pages) return {};
  return Error::transport(TransportFailure::TooLarge,
                          "the list has more than " + std::to_string(limits_.max_pages) + " pages");
}

Result<void> ListProgress::page(std::size_t objects, std::string_view continue_token) {
  if (auto more = add(objects); !more) return more;
  return end_page(continue_token);
}

}  // namespace kubexx::meta
