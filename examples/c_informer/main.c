/* Prints every pod that comes, changes and goes, from a poll loop of its own: the process has one thread. */
#define _GNU_SOURCE
#include <kubexx/c.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>

static kubexx_error* error; /* of the last call */

static void must(kubexx_status status) {
  if (status == KUBEXX_OK) return;
  fprintf(stderr, "%s: %s\n", kubexx_status_text(status), kubexx_error_message(error));
  kubexx_error_free(error);
  exit(1);
}

static void show(const kubexx_event* event, void* user_data) {
  const kubexx_view key = kubexx_event_key(event);
  const kubexx_event_type type = kubexx_event_get_type(event);
  kubexx_view node = {"", 0};
  (void)user_data;
  kubexx_object_string(kubexx_event_object(event), "/spec/nodeName", &node); /* borrowed, nothing is copied */
  printf("%c %.*s %.*s\n",
         type == KUBEXX_ADDED     ? '+'
         : type == KUBEXX_UPDATED ? '~'
                                  : '-',
         (int)key.size, key.data, (int)node.size, node.data);
  fflush(stdout);
}

static int wait_for_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

int main(void) {
  kubexx_config* config = NULL;
  kubexx_loop* loop = NULL;
  kubexx_client* client = NULL;
  kubexx_informer* pods = NULL;
  kubexx_registration* shown = NULL;
  struct pollfd ready[2] = {{0, POLLIN, 0}, {0, POLLIN, 0}};

  /* [begin informer] */
  must(kubexx_config_load(NULL, &config, &error)); /* $KUBECONFIG, ~/.kube/config, then in-cluster */
  must(kubexx_loop_new(&loop, &error));
  must(kubexx_client_new(config, NULL, loop, &client, &error));
  must(kubexx_informer_new(client, "v1/pods", NULL, &pods, &error));
  must(kubexx_informer_add_handler(pods, NULL, show, NULL, NULL, &shown, &error));
  must(kubexx_informer_start(pods, &error));
  /* [end informer] */

  ready[0].fd = wait_for_signals();
  ready[1].fd = kubexx_loop_fd(loop); /* what the library waits for; the program adds its own descriptors beside it */
  while (poll(ready, 2, -1) >= 0 && !ready[0].revents) {
    if (ready[1].revents) must(kubexx_loop_run_ready(loop, NULL, &error));
  }

  printf("%zu pods in the cache\n", kubexx_informer_size(pods));
  kubexx_config_free(config); /* in any order */
  kubexx_client_free(client);
  kubexx_informer_free(pods);
  kubexx_registration_free(shown);
  kubexx_loop_free(loop);
  return 0;
}
