#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/http/auth.hpp"
#include "apiserver/http/negotiate.hpp"
#include "apiserver/http/route.hpp"
#include "apiserver/schema/resource.hpp"
#include "apiserver/schema/typed.hpp"
#include "apiserver/storage/storage.hpp"
#include "apiserver/storage/watch_hub.hpp"
#include "apiserver/verbs/managed_fields.hpp"
#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::apiserver {

/// A request on its way to an answer.
struct Call {
  Request request;
  Route route;
  Identity user;
  std::shared_ptr<const Resource> resource;
  Negotiated form;
  std::shared_ptr<ResponseWriter> out;
  std::size_t ticket = 0;
  meta::Object body;
  bool dry_run = false;
  std::vector<std::string> warnings;
};

struct Answer {
  int status = 200;
  HeaderFields headers;
  meta::Object object;                       ///< one object ...
  std::shared_ptr<const Resource> resource;  ///< ... of this resource; null: as it is (a Status)
  bool is_list = false;                      ///< ... or many
  std::vector<meta::Object> items;
  meta::ListMeta list;
  std::string raw;  ///< ... or text
  std::string raw_type;
};

struct ActiveFault {
  std::uint64_t id = 0;
  Fault fault;
};

/// What Core is made of. Everything below the mutex is guarded by it, and the private functions expect it held, unless
/// they say otherwise.
class CoreImpl : public std::enable_shared_from_this<CoreImpl> {
 public:
  explicit CoreImpl(Options options);
  void open();   ///< after construction: what needs shared_from_this
  void close();  ///< aborts the watches; nothing runs later

  void handle(Request request, std::shared_ptr<ResponseWriter> writer);

  // Object access for tests, and faults (see Core).
  Result<meta::Object> seed(const meta::Object& object, bool must_exist);
  Result<meta::Object> get(const meta::GroupVersionResource& gvr, const meta::ObjectKey& key);
  std::vector<meta::Object> list(const meta::GroupVersionResource& gvr, std::string_view namespace_);
  Result<meta::Object> remove(const meta::GroupVersionResource& gvr, const meta::ObjectKey& key);
  Outage add_fault(Fault fault);
  std::size_t end_watches(const WatchFilter& filter, bool cut);
  Outage stall_watches(const WatchFilter& filter);
  Outage delay_watches(Duration by, const WatchFilter& filter);
  Outage drop_bookmarks(const WatchFilter& filter);
  std::size_t inject(std::string_view bytes, const WatchFilter& filter);
  std::size_t truncate_watches(const WatchFilter& filter);
  void send_bookmarks();
  void compact_history();
  Storage::Snapshot checkpoint();
  void restore(const Storage::Snapshot& snapshot);
  std::uint64_t version();
  std::size_t watchers();
  void set_connection_control(Core::ConnectionControl control);

  RequestLog log;
  const std::string& admin_token() const noexcept { return authority_.admin_token(); }

 private:
  // core.cpp: from the request to the handler and back. Called without the lock.
  void proceed(const std::shared_ptr<Call>& call);
  void serve_resource(const std::shared_ptr<Call>& call);
  Result<void> prepare_resource(Call& call);
  void answer(Call& call, Answer answer);
  void answer_error(Call& call, const Error& error, std::string_view continue_token = {});
  HeaderFields base_headers(std::string_view type);
  Timer schedule(Duration delay, Task task);  ///< the task runs under the lock, unless the core is closed by then
  void post(Task task) { schedule(Duration::zero(), std::move(task)); }

  std::optional<Fault> strike(const Call& call);  ///< the fault that hits this request (faults.cpp)

  // discovery.cpp. Called without the lock.
  Result<Answer> serve_path(Call& call);
  Result<Answer> serve_faults(Call& call);  ///< the control path
  Answer group_list();
  Result<Answer> resource_list(std::string_view group, std::string_view version);
  Answer aggregated_discovery(bool core_group);

  // reads.cpp
  Result<Answer> do_get(Call& call);
  Result<Answer> do_list(Call& call, std::string& continue_token);
  void do_watch(const std::shared_ptr<Call>& call);
  void trim_later();

  // writes.cpp
  Result<Answer> do_create(Call& call);
  Result<Answer> do_update(Call& call);
  /// Content that a client sent: what its type makes of it, with warnings or, if strict, a 400 for unknown fields.
  Result<meta::Object> accept(Call& call, const Resource& resource, meta::Value content);
  Result<void> check_identity(const Call& call, const Resource& resource, const meta::Object& object) const;
  Result<void> check_namespace(const Call& call) const;
  Result<Answer> create_object(Call& call, const meta::Object& accepted, std::optional<std::vector<Manager>> managers);
  /// `managers`: ownership already decided (apply); otherwise it follows from the change.
  Result<Answer> replace_object(Call& call, const meta::Object& old, const meta::Object& accepted,
                                std::optional<std::vector<Manager>> managers);
  /// What admission adds to a new object beyond its defaults (admission.cpp).
  Result<void> admit_create(Call& call, meta::Draft& draft);
  /// Fields that an update without them keeps (a service's address).
  void keep_on_update(const Resource& resource, const meta::Object& old, meta::Draft& draft) const;
  meta::Object store(const Resource& resource, const std::string& key, const meta::Object& object);
  Writer writer_of(const Call& call) const;
  std::string make_uid();
  std::string random_suffix();
  std::string now_text() const;

  // patch.cpp
  Result<Answer> do_patch(Call& call);
  Result<Answer> do_apply(Call& call);

  // subresources.cpp
  Result<Answer> do_subresource(Call& call);
  Result<Answer> do_scale(Call& call);
  Result<Answer> do_review(Call& call);
  Result<void> check_budget(const meta::Object& pod) const;  ///< 429 when an eviction would break a disruption budget

  // deletes.cpp
  Result<Answer> do_delete(Call& call);
  Result<Answer> do_delete_collection(Call& call);
  struct DeleteOptions {
    std::optional<std::int64_t> grace;
    std::string uid;
    std::string resource_version;
    std::string propagation;
    bool dry_run = false;
  };
  Result<DeleteOptions> delete_options(const Call& call) const;
  struct Deletion {
    bool gone = false;
    meta::Object object;  ///< the last state
  };
  Result<Deletion> delete_object(const Resource& resource, const std::string& key, const DeleteOptions& options);
  /// Takes it out of the storage and does what follows from that.
  meta::Object remove_now(const Resource& resource, const std::string& key);
  void finish_deletion_later(const Resource& resource, const std::string& key, std::string uid, Duration delay);
  void empty_namespace(const std::string& name);
  bool finalize_namespace(const std::string& name);

  // garbage.cpp
  void note_owners(const Event& event);
  void collect_dependents(const std::string& uid);
  void collect_one(const std::string& group, const std::string& resource, const std::string& key);
  bool owner_exists(const meta::Object& dependent, meta::Value reference);
  void advance_foreground(const std::string& uid);

  // definitions.cpp
  void establish(const std::string& name);
  void serve_definition(const meta::Object& definition);
  void clean_up_definition(const std::string& name);
  void definition_changed(const meta::Object& definition);
  void definition_removed(const meta::Object& definition);
  void load_definitions();

  std::shared_ptr<const Resource> resource_of_bucket(const Bucket& bucket) const;
  void on_event(const std::shared_ptr<const Event>& event);

  const Options options_;
  const std::shared_ptr<Executor> executor_;
  const Clock& clock_;
  const Authority authority_;
  std::unique_ptr<Random> random_;

  std::mutex mutex_;
  bool closed_ = false;  // this and everything below: guarded by mutex_
  Storage storage_;
  ResourceTable table_;
  WatchHub hub_;
  Timer trim_;
  std::list<ActiveFault> faults_;
  std::vector<Timer> delayed_;  // calls that a fault holds up
  std::uint64_t next_fault_ = 1;
  // Watch faults that also concern watches to come.
  std::list<std::pair<std::uint64_t, WatchFilter>> stalls_;
  std::list<std::pair<std::uint64_t, WatchFilter>> mutes_;
  std::list<std::tuple<std::uint64_t, Duration, WatchFilter>> delays_;
  struct Dependent {
    std::string group;
    std::string resource;
    std::string key;
    friend auto operator<=>(const Dependent&, const Dependent&) = default;
  };
  std::unordered_map<std::string, std::set<Dependent>> dependents_;  // by the owner's uid
  std::unordered_map<std::string, Dependent> by_uid_;
  std::uint32_t next_cluster_ip_ = 1;

  // Only of the control path, which one tester uses at a time.
  std::vector<Outage> lasting_;
  std::optional<Storage::Snapshot> control_checkpoint_;
  Core::ConnectionControl connection_control_;
};

}  // namespace kubexx::apiserver
