// Options are initialised by name; what is not named has its default, and no compiler has anything to say about that.
#include <kubexx/client/pager.hpp>
#include <kubexx/client/resource_api.hpp>
#include <kubexx/controller/options.hpp>
#include <kubexx/controller/writes.hpp>
#include <kubexx/delta/synchronized_queue.hpp>
#include <kubexx/election/leader_elector.hpp>
#include <kubexx/election/shard_membership.hpp>
#include <kubexx/events/event_broadcaster.hpp>
#include <kubexx/informer/client_lister_watcher.hpp>
#include <kubexx/informer/controller.hpp>
#include <kubexx/informer/shared_informer_factory.hpp>
#include <kubexx/inspect/server.hpp>
#include <kubexx/meta/conditions.hpp>
#include <kubexx/meta/object_key.hpp>
#include <kubexx/meta/owner_reference.hpp>
#include <kubexx/meta/yaml.hpp>
#include <kubexx/rest/client.hpp>
#include <kubexx/rest/kubeconfig.hpp>
#include <kubexx/store/write.hpp>
#include <kubexx/transport/http_transport.hpp>
#include <kubexx/workqueue/options.hpp>

using std::chrono::seconds;
namespace kx = kubexx;

void options() {
  [[maybe_unused]] const kx::rest::CallOptions call{.timeout = seconds(1)};
  [[maybe_unused]] const kx::rest::ReadOptions read{.format = kx::rest::Format::Protobuf};
  [[maybe_unused]] const kx::rest::ClientOptions client{.max_retries = 1};
  [[maybe_unused]] const kx::rest::LoadOptions load{.context = "a"};
  [[maybe_unused]] const kx::rest::Config config{.host = "https://a", .tls = {.ca_file = "ca.crt"}};
  [[maybe_unused]] const kx::rest::Impersonation impersonation{.user = "a"};
  [[maybe_unused]] const kx::rest::ExecConfig exec{.command = "a"};
  [[maybe_unused]] const kx::rest::Request request{.method = "GET", .absolute_path = "/version"};
  [[maybe_unused]] const kx::rest::ResourcePath path{.name = "a"};
  [[maybe_unused]] const kx::rest::KubeConfigSources sources{.explicit_path = "a"};
  [[maybe_unused]] const kx::rest::KubeCluster cluster{.server = "a"};
  [[maybe_unused]] const kx::rest::ByteCallbacks byte_callbacks{.on_open = [] {}};
  [[maybe_unused]] const kx::transport::TransportOptions transport{.proxy_url = "none"};
  [[maybe_unused]] const kx::client::GetOptions get{.resource_version = "0"};
  [[maybe_unused]] const kx::client::ListOptions list{.label_selector = "a"};
  [[maybe_unused]] const kx::client::WriteOptions write{.field_manager = "a"};
  [[maybe_unused]] const kx::client::DeleteOptions remove{.dry_run = true};
  [[maybe_unused]] const kx::client::LogOptions logs{.follow = true};
  [[maybe_unused]] const kx::client::PagerOptions pager{.page_size = 1};
  [[maybe_unused]] const kx::meta::ListOptions query{.limit = 1};
  [[maybe_unused]] const kx::meta::Condition condition{.type = "Ready"};
  [[maybe_unused]] const kx::meta::ObjectKey key{.name = "a"};
  [[maybe_unused]] const kx::meta::GroupVersionResource resource{.version = "v1", .resource = "pods"};
  [[maybe_unused]] const kx::meta::DecodeOptions decode{.max_depth = 8};
  [[maybe_unused]] const kx::meta::OwnerReferenceOptions owner{.block_owner_deletion = false};
  [[maybe_unused]] const kx::informer::InformerOptions informer{.name = "a"};
  [[maybe_unused]] const kx::informer::FactoryOptions factory{.name = "a", .defaults = {.resync_period = seconds(1)}};
  [[maybe_unused]] const kx::informer::Scope scope{.namespaces = {"a"}};
  [[maybe_unused]] const kx::informer::SyncOptions sync{.timeout = seconds(1)};
  [[maybe_unused]] const kx::informer::WaitOptions wait{.timeout = seconds(1)};
  [[maybe_unused]] const kx::informer::HandlerOptions handler{.name = "a"};
  [[maybe_unused]] const kx::informer::ClientSourceOptions source{.namespace_ = "a"};
  [[maybe_unused]] const kx::reflector::ReflectorOptions reflector{.name = "a"};
  [[maybe_unused]] const kx::reflector::ListWatchFuncs functions{.supports_watch_list = true};
  [[maybe_unused]] const kx::delta::OrderedQueue::Options ordered{.batch_size = 1};
  [[maybe_unused]] const kx::delta::DeltaFifo::Options fifo{.emit_delta_type_replaced = true};
  [[maybe_unused]] const kx::store::Write write_of_several{.type = kx::store::Write::Type::Remove};
  [[maybe_unused]] const kx::workqueue::QueueOptions<int> queue{.name = "a"};
  [[maybe_unused]] const kx::workqueue::AddOptions add{.priority = 1};
  [[maybe_unused]] const kx::controller::ControllerOptions controller{.name = "a"};
  [[maybe_unused]] const kx::election::LeaderElectionOptions leader{.name = "a"};
  [[maybe_unused]] const kx::events::EventBroadcasterOptions events{.queue = 10};
  [[maybe_unused]] const kx::election::ShardOptions shards{.group = "a"};
  [[maybe_unused]] const kx::controller::ConflictRetry retry{.tries = 1};
  [[maybe_unused]] const kx::inspect::Options inspector{.listen = "127.0.0.1:0"};
}
