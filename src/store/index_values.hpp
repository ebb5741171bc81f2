#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/store/index.hpp"

namespace kubexx::store {

/// What label_index() makes; known by its type, so that its value needs no copy.
struct LabelIndex {
  std::string label;
  Result<std::vector<std::string>> operator()(const meta::Object& object) const;
};

/// An index function with its name. Lives as long as a store or a snapshot has the index.
class IndexDefinition {
 public:
  IndexDefinition(std::string name, IndexFunc function);
  const std::string& name() const noexcept { return name_; }
  const IndexFunc& function() const noexcept { return function_; }

  /// The values of one object. Views are into the object or into this.
  class Values {
   public:
    std::size_t size() const noexcept { return borrowed_ ? 1 : owned_.size(); }
    std::string_view operator[](std::size_t index) const noexcept { return borrowed_ ? view_ : owned_[index]; }

   private:
    friend class IndexDefinition;
    bool borrowed_ = false;
    std::string_view view_;
    std::vector<std::string> owned_;
  };
  /// Runs user code: no lock may be held. What fails is reported, counted in `errors`, and gives no value.
  void evaluate(const meta::Object& object, Values& into, std::atomic<std::uint64_t>& errors) const;

 private:
  enum class Kind : std::uint8_t { User, Namespace, Label };
  std::string name_;
  IndexFunc function_;
  Kind kind_ = Kind::User;
  std::string label_;
};

using IndexDefinitions = std::vector<std::shared_ptr<const IndexDefinition>>;

}  // namespace kubexx::store
