#include "kubexx/meta/object.hpp"
#include "meta/internal/json_pointer.hpp"

namespace kubexx::meta {
namespace {

class Differ {
 public:
  explicit Differ(std::size_t limit) : limit_(limit) {}

  void compare(Value before, Value after) {
    if (found_.size() >= limit_) return;
    if (before.is_map() && after.is_map()) {
      for (const auto& [key, value] : before.entries()) descend(key, value, after[key]);
      for (const auto& [key, value] : after.entries()) {
        if (!before[key].exists()) descend(key, {}, value);
      }
    } else if (before.is_list() && after.is_list()) {
      const std::size_t count = std::max(before.size(), after.size());
      for (std::size_t i = 0; i < count; ++i) descend(std::to_string(i), before[i], after[i]);
    } else if (!(before == after)) {
      found_.push_back(path_);
    }
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  void descend(std::string_view token, Value before, Value after) {
    const std::size_t size = path_.size();
    detail::append_token(path_, token);
    compare(before, after);
    path_.resize(size);
  }

  std::size_t limit_;
  std::string path_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> diff_paths(Value before, Value after, std::size_t limit) {
  Differ differ(limit);
  differ.compare(before, after);
  return differ.take();
}

}  // namespace kubexx::meta
