// NULL where a handle is needed is a status and a text, never a crash; NULL may be freed and asked.
#include "c/c_server.hpp"

namespace kubexx::c_test {
namespace {

constexpr const char* kPods = "v1/pods";

void on_answer(const char*, std::size_t, const kubexx_error*, void*) {}
void on_event(const kubexx_event*, void*) {}
void on_election(const kubexx_election_event*, void*) {}

class CNullTest : public ::testing::Test {
 protected:
  /// What was returned, with the error that belongs to it.
  void refused(kubexx_status status, const char* parameter) {
    EXPECT_EQ(status, KUBEXX_INVALID_ARGUMENT) << parameter;
    EXPECT_EQ(std::string(kubexx_error_message(error_)), std::string(parameter) + " is NULL");
    kubexx_error_free(std::exchange(error_, nullptr));
  }
  kubexx_error* error_ = nullptr;
};

TEST_F(CNullTest, FreeingNothingDoesNothing) {
  kubexx_error_free(nullptr);
  kubexx_text_free(nullptr);
  kubexx_options_free(nullptr);
  kubexx_stopper_stop(nullptr);
  kubexx_stopper_free(nullptr);
  kubexx_loop_free(nullptr);
  kubexx_config_free(nullptr);
  kubexx_client_free(nullptr);
  kubexx_object_free(nullptr);
  kubexx_list_free(nullptr);
  kubexx_snapshot_free(nullptr);
  kubexx_informer_stop(nullptr);
  kubexx_informer_free(nullptr);
  kubexx_registration_free(nullptr);
  kubexx_elector_stop(nullptr);
  kubexx_elector_free(nullptr);
  kubexx_observer_stop(nullptr);
  kubexx_observer_free(nullptr);
  kubexx_leader_free(nullptr);
  kubexx_logs_stop(nullptr);
  kubexx_logs_free(nullptr);
}

TEST_F(CNullTest, QuestionsToNothingAreAnswered) {
  EXPECT_EQ(kubexx_loop_fd(nullptr), -1);
  EXPECT_EQ(kubexx_config_server(nullptr).size + kubexx_config_namespace(nullptr).size, 0u);
  EXPECT_EQ(kubexx_object_name(nullptr).size + kubexx_object_namespace(nullptr).size, 0u);
  EXPECT_EQ(kubexx_object_uid(nullptr).size + kubexx_object_resource_version(nullptr).size, 0u);
  EXPECT_NE(kubexx_object_uid(nullptr).data, nullptr);
  EXPECT_EQ(kubexx_object_type(nullptr, ""), KUBEXX_ABSENT);
  EXPECT_EQ(kubexx_list_size(nullptr), 0u);
  EXPECT_EQ(kubexx_list_at(nullptr, 0), nullptr);
  EXPECT_EQ(kubexx_informer_has_synced(nullptr), 0);
  EXPECT_EQ(kubexx_informer_size(nullptr), 0u);
  EXPECT_EQ(kubexx_registration_has_synced(nullptr), 0);
  EXPECT_EQ(kubexx_event_get_type(nullptr), 0);
  EXPECT_EQ(kubexx_event_get_cause(nullptr), 0);
  EXPECT_EQ(kubexx_event_object(nullptr), nullptr);
  EXPECT_EQ(kubexx_event_before(nullptr), nullptr);
  EXPECT_EQ(kubexx_event_key(nullptr).size, 0u);
  EXPECT_EQ(kubexx_event_final_state_known(nullptr), 0);
  EXPECT_EQ(kubexx_snapshot_size(nullptr), 0u);
  EXPECT_EQ(kubexx_snapshot_resource_version(nullptr).size, 0u);
  EXPECT_EQ(kubexx_elector_is_leader(nullptr), 0);
  EXPECT_EQ(kubexx_elector_may_lead(nullptr), 0);
  EXPECT_EQ(kubexx_election_event_get_type(nullptr), 0);
  EXPECT_EQ(kubexx_election_event_holder(nullptr).size, 0u);
  EXPECT_EQ(kubexx_leader_holder(nullptr).size, 0u);
  EXPECT_EQ(kubexx_leader_annotation(nullptr, "a").size, 0u);
  EXPECT_EQ(kubexx_leader_transitions(nullptr), 0);
  EXPECT_EQ(kubexx_leader_known(nullptr) + kubexx_leader_expired(nullptr), 0);
}

TEST_F(CNullTest, WhatMakesHandlesNeedsAPlaceForThem) {
  refused(kubexx_options_new(nullptr, &error_), "options");
  refused(kubexx_stopper_new(nullptr, &error_), "stopper");
  refused(kubexx_loop_new(nullptr, &error_), "loop");
  refused(kubexx_config_load(nullptr, nullptr, &error_), "config");
  refused(kubexx_config_in_cluster(nullptr, nullptr, &error_), "config");
  refused(kubexx_config_explicit(nullptr, nullptr, &error_), "config");
  refused(kubexx_object_parse("{}", 2, nullptr, &error_), "object");
  refused(kubexx_metrics(nullptr, nullptr, &error_), "text");
}

TEST_F(CNullTest, CallsNeedAClient) {
  const auto get = kubexx_client_get(nullptr, kPods, "a", "b", nullptr, nullptr, nullptr, &error_);
  refused(get, "client");
  refused(kubexx_client_list(nullptr, kPods, "a", nullptr, nullptr, nullptr, &error_), "client");
  refused(kubexx_client_create(nullptr, kPods, "a", "{}", 2, nullptr, nullptr, nullptr, &error_), "client");
  refused(kubexx_client_update(nullptr, kPods, "a", "{}", 2, nullptr, nullptr, nullptr, &error_), "client");
  refused(kubexx_client_patch(nullptr, kPods, "a", "b", 0, "{}", 2, nullptr, nullptr, nullptr, &error_), "client");
  refused(kubexx_client_delete(nullptr, kPods, "a", "b", nullptr, &error_), "client");
  refused(kubexx_client_get_async(nullptr, kPods, "a", "b", nullptr, on_answer, nullptr, nullptr, &error_), "client");
  refused(kubexx_client_list_async(nullptr, kPods, "a", nullptr, on_answer, nullptr, nullptr, &error_), "client");
  refused(kubexx_client_get_async(nullptr, kPods, "a", "b", nullptr, nullptr, nullptr, nullptr, &error_), "on_answer");
}

TEST_F(CNullTest, InformersNeedWhatTheyWorkWith) {
  kubexx_informer* informer = nullptr;
  kubexx_registration* registration = nullptr;
  kubexx_object* object = nullptr;
  kubexx_list* list = nullptr;
  kubexx_snapshot* snapshot = nullptr;
  char* json = nullptr;
  refused(kubexx_informer_new(nullptr, kPods, nullptr, &informer, &error_), "client");
  refused(kubexx_informer_start(nullptr, &error_), "informer");
  refused(kubexx_informer_join(nullptr, &error_), "informer");
  refused(kubexx_informer_wait_for_sync(nullptr, nullptr, &error_), "informer");
  refused(kubexx_informer_wait_for_version(nullptr, "1", nullptr, &error_), "informer");
  refused(kubexx_informer_status(nullptr, &json, nullptr, &error_), "informer");
  refused(kubexx_informer_add_handler(nullptr, nullptr, on_event, nullptr, nullptr, &registration, &error_),
          "informer");
  refused(kubexx_informer_get(nullptr, "a/b", &object, &error_), "informer");
  refused(kubexx_informer_list(nullptr, nullptr, nullptr, &list, &error_), "informer");
  refused(kubexx_informer_by_index(nullptr, "i", "v", &list, &error_), "informer");
  refused(kubexx_informer_snapshot(nullptr, &snapshot, &error_), "informer");
  refused(kubexx_snapshot_get(nullptr, "a/b", &object, &error_), "snapshot");
  refused(kubexx_snapshot_list(nullptr, &list, &error_), "snapshot");
  refused(kubexx_snapshot_by_index(nullptr, "i", "v", &list, &error_), "snapshot");
}

TEST_F(CNullTest, ElectionsNeedWhatTheyWorkWith) {
  kubexx_elector* elector = nullptr;
  kubexx_observer* observer = nullptr;
  kubexx_leader* leader = nullptr;
  kubexx_client* client = nullptr;
  char* token = nullptr;
  refused(kubexx_elector_new(nullptr, nullptr, on_election, nullptr, nullptr, &elector, &error_), "client");
  refused(kubexx_elector_start(nullptr, &error_), "elector");
  refused(kubexx_elector_wait_until_leading(nullptr, nullptr, &error_), "elector");
  refused(kubexx_elector_token(nullptr, &token, &error_), "elector");
  refused(kubexx_elector_guarded_client(nullptr, &client, &error_), "elector");
  refused(kubexx_observer_new(nullptr, nullptr, nullptr, nullptr, nullptr, &observer, &error_), "client");
  refused(kubexx_observer_start(nullptr, &error_), "observer");
  refused(kubexx_observer_wait_for_leader(nullptr, nullptr, &error_), "observer");
  refused(kubexx_observer_leader(nullptr, &leader, &error_), "observer");
}

TEST_F(CNullTest, LogsNeedWhatTheyWorkWith) {
  kubexx_logs* logs = nullptr;
  const auto on_line = [](const kubexx_log_line*, void*) {};
  refused(kubexx_logs_new(nullptr, nullptr, on_line, nullptr, nullptr, nullptr, &logs, &error_), "client");
  refused(kubexx_logs_start(nullptr, &error_), "logs");
  EXPECT_EQ(kubexx_logs_has_synced(nullptr), 0);
  EXPECT_EQ(kubexx_logs_open(nullptr) + kubexx_logs_gaps(nullptr), 0);
  EXPECT_EQ(kubexx_log_line_text(nullptr).size + kubexx_log_line_namespace(nullptr).size, 0u);
  EXPECT_EQ(kubexx_log_line_pod(nullptr).size + kubexx_log_line_uid(nullptr).size, 0u);
  EXPECT_EQ(kubexx_log_line_container(nullptr).size, 0u);
  EXPECT_EQ(kubexx_log_line_restarts(nullptr) + kubexx_log_line_time_ns(nullptr), 0);
  EXPECT_EQ(kubexx_log_line_continues(nullptr) + kubexx_log_line_after_gap(nullptr), 0);
}

TEST_F(CNullTest, OptionsAndObjectsNeedTheirParts) {
  const Options options;
  refused(kubexx_options_set(nullptr, KUBEXX_OPTION_NAME, "x", &error_), "options");
  refused(kubexx_options_set(options.get(), KUBEXX_OPTION_NAME, nullptr, &error_), "value");
  refused(kubexx_options_set_number(nullptr, KUBEXX_OPTION_LIMIT, 1, &error_), "options");
  refused(kubexx_options_set_stopper(nullptr, nullptr, &error_), "options");
  refused(kubexx_loop_run_ready(nullptr, nullptr, &error_), "loop");
  kubexx_client* client = nullptr;
  refused(kubexx_client_new(nullptr, nullptr, nullptr, &client, &error_), "config");
  kubexx_object* object = nullptr;
  refused(kubexx_object_ref(nullptr, &object, &error_), "object");
  char* json = nullptr;
  refused(kubexx_object_json(nullptr, "", &json, nullptr, &error_), "object");
  kubexx_view view{};
  std::int64_t number = 0;
  double real = 0;
  int flag = 0;
  std::size_t size = 0;
  EXPECT_EQ(kubexx_object_string(nullptr, "", &view), KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(kubexx_object_int(nullptr, "", &number), KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(kubexx_object_double(nullptr, "", &real), KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(kubexx_object_bool(nullptr, "", &flag), KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(kubexx_object_size(nullptr, "", &size), KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(kubexx_object_key_at(nullptr, "", 0, &view), KUBEXX_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace kubexx::c_test
