#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "soak/handlers.hpp"

namespace kubexx::soak {

/// One informer of a program, and what it is to keep of its resource.
struct InformerPlan {
  std::string label = {};
  std::function<std::shared_ptr<informer::SharedIndexInformer>(informer::DynamicSharedInformerFactory&)> make = {};
  std::function<bool(const meta::Object&)> wanted = {};
  /// Its namespaces change; `wanted` looks at them. Null: they do not.
  std::shared_ptr<std::vector<std::string>> namespaces = {};
};

struct ProgramOptions {
  std::string name = {};
  rest::Config config = {};
  informer::FactoryOptions factory = {};
  std::vector<InformerPlan> plans = {};
};

/// Informers with handlers on a client and a factory of their own, as a program has them. With a cache directory it can
/// end, well or at once, and come back with what the directory has then.
///
/// Threads: one owner's, but totals() and handlers.
class Program {
 public:
  Program(Surroundings& surroundings, ProgramOptions options, std::uint64_t seed);
  ~Program();

  /// Adds or removes a handler, asks for a list, or changes a scope.
  void change_something();
  void restart();

  /// What differs from the server: a cache, an index or a handler.
  std::optional<Difference> wrong(const apiserver::Core& core) const;
  const informer::DynamicSharedInformerFactory& factory() const { return *factory_; }

  struct Totals {
    std::uint64_t lists = 0;
    std::uint64_t watches = 0;
    std::uint64_t restarts = 0;
    std::uint64_t resumed = 0;  ///< informers of ended lives that began with a file and read no whole state
  };
  /// Of all lives.
  Totals totals() const;

 private:
  struct Member {
    const InformerPlan* plan = nullptr;
    std::shared_ptr<informer::SharedIndexInformer> informer;
    std::shared_ptr<HandlerSet> handlers;
  };
  void begin();
  void end();
  void change_scope(const Member& member);
  std::optional<Difference> wrong(const Member& member, const apiserver::Core& core) const;
  Totals of_this_life() const;

  Surroundings& surroundings_;
  const ProgramOptions options_;
  Random random_;
  std::unique_ptr<informer::DynamicSharedInformerFactory> factory_;
  std::vector<Member> members_;
  Totals before_;  // of the lives that have ended
};

}  // namespace kubexx::soak
