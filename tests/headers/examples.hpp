#pragma once

// What the examples of the public headers take for granted. They are compiled and never run, so nothing here exists.

#include <atomic>
#include <chrono>
#include <coroutine>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kubexx/agent/node_pods.hpp"
#include "kubexx/apiserver/core.hpp"
#include "kubexx/clientset/apps.hpp"
#include "kubexx/clientset/core.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/election/leader_observer.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/workqueue/rate_limiting_queue.hpp"

namespace kubexx::examples {

using namespace std::chrono_literals;
namespace corev1 = api::core::v1;
namespace appsv1 = api::apps::v1;
namespace demo::v1 {
using Widget = corev1::ConfigMap;
}
using corev1::Pod;

extern const std::stop_token stop;
extern const std::shared_ptr<Executor> executor;
extern const Strand strand;
extern const rest::Config config;
extern const rest::Client client;
extern const client::Api<Pod> pods;
extern const Pod pod;
extern const meta::Object object;
extern const std::string_view bytes;
extern informer::SharedInformerFactory factory;
extern apiserver::Core core;
extern const std::shared_ptr<informer::ResourceEventHandler> handler;
extern const std::shared_ptr<reflector::ListerWatcher> source;
extern const std::shared_ptr<reflector::DeltaSink> sink;
extern const std::shared_ptr<meta::StreamSink> stream_sink;
extern const std::shared_ptr<transport::Transport> transport;
extern const std::shared_ptr<transport::ResponseSink> response_sink;
extern const std::shared_ptr<election::LeaderElector> elector;
extern const std::shared_ptr<agent::NodePods> node_pods;
extern const delta::Process process;
extern workqueue::RateLimitingQueue<std::string> queue;

// What a program does with what it gets.
void greet(const auto&...);
void complain(const auto&...);
void compare(const auto&...);
void forget(const auto&...);
void show_the_user(const auto&...);
void work(const auto&...);
bool reconcile(const auto&...);
std::size_t free_bytes();

/// A coroutine that nobody waits for.
struct Coroutine {
  struct promise_type {
    Coroutine get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

}  // namespace kubexx::examples
