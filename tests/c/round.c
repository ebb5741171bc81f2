#include "round.h"

#include <kubexx/c.h>
#include <string.h>

struct round {
  kubexx_options* options;
  kubexx_config* config;
  kubexx_client* client;
  kubexx_informer* informer;
  kubexx_registration* registration;
  kubexx_object* object;
  kubexx_list* list;
  char* json;
};

static void on_event(const kubexx_event* event, void* user_data) {
  (void)event;
  (void)user_data;
}

#define CHECK(call)            \
  do {                         \
    if (!(call)) return #call; \
  } while (0)

static const char* connect(struct round* r, const char* kubeconfig_text) {
  static const char map[] =
      "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"of-c\"},"
      "\"data\":{\"v\":\"1\"}}";
  size_t size = 0;
  CHECK(kubexx_options_new(&r->options, NULL) == KUBEXX_OK);
  CHECK(kubexx_options_set(r->options, KUBEXX_OPTION_KUBECONFIG_TEXT, kubeconfig_text, NULL) == KUBEXX_OK);
  CHECK(kubexx_config_load(r->options, &r->config, NULL) == KUBEXX_OK);
  CHECK(kubexx_client_new(r->config, NULL, NULL, &r->client, NULL) == KUBEXX_OK);
  CHECK(kubexx_client_create(r->client, "v1/configmaps", "default", map, strlen(map), NULL, &r->json, &size, NULL) ==
        KUBEXX_OK);
  CHECK(strlen(r->json) == size && size > strlen(map));
  return NULL;
}

static const char* read_cache(struct round* r) {
  kubexx_view value;
  CHECK(kubexx_informer_new(r->client, "v1/configmaps", NULL, &r->informer, NULL) == KUBEXX_OK);
  CHECK(kubexx_informer_add_handler(r->informer, NULL, on_event, NULL, NULL, &r->registration, NULL) == KUBEXX_OK);
  CHECK(kubexx_informer_start(r->informer, NULL) == KUBEXX_OK);
  CHECK(kubexx_informer_wait_for_sync(r->informer, NULL, NULL) == KUBEXX_OK);
  CHECK(kubexx_informer_get(r->informer, "default/of-c", &r->object, NULL) == KUBEXX_OK);
  CHECK(kubexx_object_string(r->object, "/data/v", &value) == KUBEXX_OK);
  CHECK(value.size == 1 && value.data[0] == '1');
  CHECK(kubexx_informer_list(r->informer, "default", NULL, &r->list, NULL) == KUBEXX_OK);
  CHECK(kubexx_list_size(r->list) >= 1);
  return NULL;
}

const char* kubexx_c_round(const char* kubeconfig_text) {
  struct round r;
  const char* failed;
  memset(&r, 0, sizeof r);
  failed = connect(&r, kubeconfig_text);
  if (!failed) failed = read_cache(&r);
  kubexx_text_free(r.json);
  kubexx_list_free(r.list);
  kubexx_object_free(r.object);
  kubexx_client_free(r.client);
  kubexx_informer_free(r.informer);
  kubexx_registration_free(r.registration);
  kubexx_config_free(r.config);
  kubexx_options_free(r.options);
  return failed;
}
