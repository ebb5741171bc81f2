#include "reading.h"

#include <stdio.h>

static kubexx_error* error; /* of the last call */
static int failures;

static void must(kubexx_status status) {
  if (status == KUBEXX_OK) return;
  fprintf(stderr, "%s: %s\n", kubexx_status_text(status), kubexx_error_message(error));
  kubexx_error_free(error);
  error = NULL;
  ++failures;
}

static void show(const kubexx_event* event, void* user_data) {
  (void)event;
  (void)user_data;
}

int kubexx_c_reading(const kubexx_options* options, char* node_name, size_t size) {
  kubexx_config* config = NULL;
  kubexx_client* client = NULL;
  kubexx_informer* pods = NULL;
  kubexx_registration* registration = NULL;
  kubexx_object* pod = NULL;
  kubexx_view node = {"", 0};

  /* [begin reading] */
  must(kubexx_config_load(options, &config, &error));           /* NULL: $KUBECONFIG, ~/.kube/config, then in-cluster */
  must(kubexx_client_new(config, NULL, NULL, &client, &error)); /* NULL, NULL: no options, threads of its own */
  must(kubexx_informer_new(client, "v1/pods", NULL, &pods, &error));
  must(kubexx_informer_add_handler(pods, NULL, show, NULL, NULL, &registration, &error));
  must(kubexx_informer_start(pods, &error));
  must(kubexx_informer_wait_for_sync(pods, NULL, &error));
  must(kubexx_informer_get(pods, "default/web", &pod, &error)); /* from the cache */
  must(kubexx_object_string(pod, "/spec/nodeName", &node));     /* borrowed from the object */
  /* [end reading] */

  snprintf(node_name, size, "%.*s", (int)node.size, node.data);
  kubexx_object_free(pod);
  kubexx_registration_free(registration);
  kubexx_informer_free(pods);
  kubexx_client_free(client);
  kubexx_config_free(config);
  return failures;
}
