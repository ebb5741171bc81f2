/// kubexx for C, and for every language that can call C: configuration, client, informers with their caches, elections,
/// logs of pods.
/// C11 and C++11; docs/c.md has a first program, docs/adr/0015-a-c-interface.md says why it is as it is.
///
/// Handles: every kubexx_* type is opaque. What a function hands out belongs to the caller and ends with the free
/// function of its type; NULL may be freed. Handles hold what they need, so they may be freed in any order. A `const`
/// pointer that a callback gets, or that is part of another handle, is borrowed.
///
/// Text: what goes in is a string that ends with a zero byte; bodies have a length. What comes out as kubexx_view is
/// borrowed, and has no zero byte behind it; what comes out as `char*` has one, is the caller's, and ends with
/// kubexx_text_free(). All of it is UTF-8.
///
/// Errors: a function that can fail returns a status. Where its last parameter is a `kubexx_error**` that is not NULL,
/// a failure puts an error with a text there, which the caller frees, and success puts NULL. Out parameters are not
/// touched by a failure. NULL where a handle is needed is KUBEXX_INVALID_ARGUMENT. No exception leaves the library.
///
/// Callbacks come with `user_data` and may come with `release`, which is called once when nobody will use user_data any
/// more. A function that fails has taken neither. Callbacks run without a lock of the library and may call every
/// function here, free included: of the very handle whose callback it is, too. They run on threads of the client, or,
/// where the client has a loop, inside the call that drives it.
///
/// Free: of an informer, an elector, an observer or logs stops it, and waits until none of its callbacks runs. Inside a
/// callback nothing is waited for: it ends on its own, and `release` says when.
///
/// Threads: "any" is: from any thread, several at once. A handle must not be freed while another thread uses it. With a
/// loop, what blocks is to be called on the loop's thread: it drives the loop until it is over.
#ifndef KUBEXX_C_H
#define KUBEXX_C_H

#include <stddef.h>
#include <stdint.h>

/// The number of this interface. It grows when something is added; nothing is taken away or changed (0.x).
#define KUBEXX_C_VERSION 1

#if defined(__GNUC__)
#define KUBEXX_C_EXPORT __attribute__((visibility("default")))
#else
/// Before every function: it stays visible where the library is built with hidden names.
#define KUBEXX_C_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Handles. Each has a `_free` function, unless it is borrowed: events, leaders and log lines during a call.
typedef struct kubexx_error kubexx_error;
typedef struct kubexx_options kubexx_options;
typedef struct kubexx_stopper kubexx_stopper;
typedef struct kubexx_loop kubexx_loop;
typedef struct kubexx_config kubexx_config;
typedef struct kubexx_client kubexx_client;
typedef struct kubexx_object kubexx_object;
typedef struct kubexx_list kubexx_list;
typedef struct kubexx_snapshot kubexx_snapshot;
typedef struct kubexx_informer kubexx_informer;
typedef struct kubexx_registration kubexx_registration;
typedef struct kubexx_event kubexx_event;
typedef struct kubexx_elector kubexx_elector;
typedef struct kubexx_election_event kubexx_election_event;
typedef struct kubexx_observer kubexx_observer;
typedef struct kubexx_leader kubexx_leader;
typedef struct kubexx_logs kubexx_logs;
typedef struct kubexx_log_line kubexx_log_line;

/// Borrowed text: `size` bytes from `data`. Empty text has a data that is not NULL.
typedef struct kubexx_view {
  const char* data;
  size_t size;
} kubexx_view;

/// Called once, when the library will not use `user_data` any more.
typedef void (*kubexx_release)(void* user_data);

// ---- The library ----------------------------------------------------------------------------------------------------

/// KUBEXX_C_VERSION of the library that is there. Threads: any.
KUBEXX_C_EXPORT int kubexx_c_version(void);
/// "0.2.0". Threads: any. Never freed.
KUBEXX_C_EXPORT const char* kubexx_version_text(void);

// ---- Status and errors ----------------------------------------------------------------------------------------------

/// New ones may be added: treat those you do not know as a failure.
typedef int kubexx_status;
enum {
  KUBEXX_OK = 0,
  KUBEXX_INVALID_ARGUMENT = 1,  ///< NULL, a text that cannot be read, an option that the function does not take
  KUBEXX_MISUSE = 2,            ///< the right call at the wrong time: started twice, after the stop
  KUBEXX_NOT_FOUND = 3,         ///< the server or the cache does not have it
  KUBEXX_ALREADY_EXISTS = 4,
  KUBEXX_CONFLICT = 5,
  KUBEXX_UNAUTHORIZED = 6,
  KUBEXX_FORBIDDEN = 7,
  KUBEXX_API = 8,        ///< the server said no in another way: kubexx_error_http_code(), kubexx_error_reason()
  KUBEXX_TRANSPORT = 9,  ///< no connection, or a broken one
  KUBEXX_TIMEOUT = 10,
  KUBEXX_CANCELED = 11,  ///< stopped: by a stopper, or with what it belonged to
  KUBEXX_DECODE = 12,    ///< bytes that are not what they claim to be
  KUBEXX_CONFIG = 13,
  KUBEXX_WRONG_TYPE = 14,  ///< the field is there and has another type
  KUBEXX_NO_MEMORY = 15,
  KUBEXX_INTERNAL = 16
};

/// A few words for a status; never NULL, also for unknown numbers. Threads: any.
KUBEXX_C_EXPORT const char* kubexx_status_text(kubexx_status status);

/// Of an error: the status it came with, its text, the server's HTTP code (0: none) and reason ("NotFound"; may be
/// empty), how long the server asks to wait (-1: it does not say), whether the same call may succeed later (0 or 1).
/// Texts live as long as the error, and end with a zero byte. NULL answers as an error without a text. Threads: any.
KUBEXX_C_EXPORT kubexx_status kubexx_error_status(const kubexx_error* error);
KUBEXX_C_EXPORT const char* kubexx_error_message(const kubexx_error* error);
KUBEXX_C_EXPORT int kubexx_error_http_code(const kubexx_error* error);
KUBEXX_C_EXPORT const char* kubexx_error_reason(const kubexx_error* error);
KUBEXX_C_EXPORT int64_t kubexx_error_retry_after_ms(const kubexx_error* error);
KUBEXX_C_EXPORT int kubexx_error_is_retriable(const kubexx_error* error);
KUBEXX_C_EXPORT void kubexx_error_free(kubexx_error* error);

/// Frees a `char*` that the library handed out. Threads: any.
KUBEXX_C_EXPORT void kubexx_text_free(char* text);

// ---- Options --------------------------------------------------------------------------------------------------------

/// What functions with a parameter `options` take; NULL there means none. One that a function does not take is refused
/// by it, and so is one that the library does not know: nothing is ignored. Those marked + may be given several times.
typedef int kubexx_option;
enum {
  // Configurations. What is given replaces what a file says.
  KUBEXX_OPTION_KUBECONFIG = 1,       ///< path of a file
  KUBEXX_OPTION_KUBECONFIG_TEXT = 2,  ///< the text of one
  KUBEXX_OPTION_CONTEXT = 3,
  KUBEXX_OPTION_SERVER = 4,  ///< "https://10.0.0.1:6443"
  KUBEXX_OPTION_TOKEN = 5,
  KUBEXX_OPTION_TOKEN_FILE = 6,
  KUBEXX_OPTION_USERNAME = 7,
  KUBEXX_OPTION_PASSWORD = 8,
  KUBEXX_OPTION_CA_FILE = 9,
  KUBEXX_OPTION_CA_DATA = 10,  ///< PEM
  KUBEXX_OPTION_CERTIFICATE_FILE = 11,
  KUBEXX_OPTION_CERTIFICATE_DATA = 12,
  KUBEXX_OPTION_KEY_FILE = 13,
  KUBEXX_OPTION_KEY_DATA = 14,
  KUBEXX_OPTION_TLS_SERVER_NAME = 15,
  KUBEXX_OPTION_INSECURE_SKIP_TLS_VERIFY = 16,  ///< number: 0 or 1
  KUBEXX_OPTION_PROXY_URL = 17,
  KUBEXX_OPTION_USER_AGENT = 18,
  KUBEXX_OPTION_IMPERSONATE_USER = 19,
  KUBEXX_OPTION_IMPERSONATE_GROUP = 20,           ///< +
  KUBEXX_OPTION_ALLOW_INSECURE_CREDENTIALS = 21,  ///< number; credentials to http:// servers on loopback
  KUBEXX_OPTION_NAMESPACE = 22,                   ///< + for informers; configurations, elections: one
  KUBEXX_OPTION_TIMEOUT_MS = 23,                  ///< number; configurations (of each call), calls, waits

  // Calls.
  KUBEXX_OPTION_LABEL_SELECTOR = 30,  ///< "app=web,tier in (a,b)"; lists, informers: the server selects
  KUBEXX_OPTION_FIELD_SELECTOR = 31,  ///< "spec.nodeName=n1"; the same
  KUBEXX_OPTION_LIMIT = 32,           ///< number; lists: one page of so many. Without it: all pages
  KUBEXX_OPTION_CONTINUE = 33,        ///< lists: metadata.continue of the page before
  KUBEXX_OPTION_RESOURCE_VERSION = 34,
  KUBEXX_OPTION_FIELD_MANAGER = 35,  ///< writes; apply needs it
  KUBEXX_OPTION_FORCE = 36,          ///< number; apply takes fields over from other managers
  KUBEXX_OPTION_DRY_RUN = 37,        ///< number
  KUBEXX_OPTION_FIELD_VALIDATION = 38,
  KUBEXX_OPTION_SUBRESOURCE = 39,           ///< "status", "scale"; get, update, patch, apply
  KUBEXX_OPTION_GRACE_PERIOD_SECONDS = 40,  ///< number; delete
  KUBEXX_OPTION_PROPAGATION_POLICY = 41,    ///< delete
  KUBEXX_OPTION_UID = 42,                   ///< delete: only if it still has this uid

  // Informers and handlers.
  KUBEXX_OPTION_NAME = 50,           ///< for metrics; of an election: the name of the Lease
  KUBEXX_OPTION_PROJECTION = 51,     ///< + a field to keep: "spec.nodeName". Others cost no memory
  KUBEXX_OPTION_METADATA_ONLY = 52,  ///< number; the server sends no more than that
  KUBEXX_OPTION_FILTER_LABELS = 53,  ///< as a label selector, decided here; what is refused costs no memory
  KUBEXX_OPTION_FILTER_FIELDS = 54,  ///< as a field selector over any field, decided here
  KUBEXX_OPTION_LABEL_INDEX = 55,    ///< + "index=label"
  KUBEXX_OPTION_FIELD_INDEX = 56,    ///< + "index=spec.nodeName"; lists are passed through: an object may have several
  KUBEXX_OPTION_RESYNC_MS = 57,  ///< number; reminders of everything. Of a handler: before the start, or the informer's
  KUBEXX_OPTION_PAGE_SIZE = 58,  ///< number
  KUBEXX_OPTION_STALE_AFTER_MS = 59,   ///< number
  KUBEXX_OPTION_VERIFY_EVERY_MS = 60,  ///< number
  KUBEXX_OPTION_COALESCE = 61,         ///< number; handlers: changes of one key that wait are merged
  KUBEXX_OPTION_SPLIT_REPLACED = 62,   ///< number; handlers: another uid arrives as delete and add
  KUBEXX_OPTION_FAIL_FAST = 63,        ///< number; wait for sync: 400, 401, 403 and 404 end it

  // Elections.
  KUBEXX_OPTION_IDENTITY = 70,
  KUBEXX_OPTION_LEASE_DURATION_MS = 71,  ///< number
  KUBEXX_OPTION_RENEW_DEADLINE_MS = 72,  ///< number
  KUBEXX_OPTION_RETRY_PERIOD_MS = 73,    ///< number
  KUBEXX_OPTION_RELEASE_ON_STOP = 74,    ///< number
  KUBEXX_OPTION_STOP_TIMEOUT_MS = 75,    ///< number
  KUBEXX_OPTION_LABEL = 76,              ///< + "key=value", on the Lease
  KUBEXX_OPTION_ANNOTATION = 77,         ///< + the same

  // Logs of pods.
  KUBEXX_OPTION_CONTAINER = 80,      ///< + of these names; without it: all
  KUBEXX_OPTION_SINCE_MS = 81,       ///< number; nothing older than so long ago
  KUBEXX_OPTION_TAIL_LINES = 82,     ///< number; of containers that are there at the start: their last lines
  KUBEXX_OPTION_MAX_STREAMS = 83,    ///< number; open at once, 50 without it
  KUBEXX_OPTION_MAX_LINE_BYTES = 84  ///< number; what is longer comes in pieces, 65536 without it
};

/// A set of options. Functions copy what they take: it may be changed, used again and freed at once.
/// Threads: one at a time.
KUBEXX_C_EXPORT kubexx_status kubexx_options_new(kubexx_options** options, kubexx_error** error);
/// KUBEXX_INVALID_ARGUMENT: unknown, or it takes a number.
KUBEXX_C_EXPORT kubexx_status kubexx_options_set(kubexx_options* options, kubexx_option option, const char* value,
                                                 kubexx_error** error);
/// KUBEXX_INVALID_ARGUMENT: unknown, it takes a text, or the number is negative.
KUBEXX_C_EXPORT kubexx_status kubexx_options_set_number(kubexx_options* options, kubexx_option option, int64_t value,
                                                        kubexx_error** error);
/// Ends calls and waits with KUBEXX_CANCELED. Every call and wait takes it. NULL: none any more.
KUBEXX_C_EXPORT kubexx_status kubexx_options_set_stopper(kubexx_options* options, const kubexx_stopper* stopper,
                                                         kubexx_error** error);
KUBEXX_C_EXPORT void kubexx_options_free(kubexx_options* options);

/// Stops what was begun with it, once and for all. Freeing it stops nothing. Threads: any.
KUBEXX_C_EXPORT kubexx_status kubexx_stopper_new(kubexx_stopper** stopper, kubexx_error** error);
KUBEXX_C_EXPORT void kubexx_stopper_stop(kubexx_stopper* stopper);
KUBEXX_C_EXPORT void kubexx_stopper_free(kubexx_stopper* stopper);

// ---- A program's own loop -------------------------------------------------------------------------------------------

/// Drives clients without a thread of ours: the program waits until kubexx_loop_fd() is readable and calls
/// kubexx_loop_run_ready(), and everything happens in there: sockets, timers, callbacks. A blocking function on this
/// thread drives the loop until it is over.
/// Threads: the loop belongs to one thread: the one that made it, until another drives it.
/// Free: of the last handle that uses the loop ends what is left: callbacks of calls under way come with
/// KUBEXX_CANCELED.
KUBEXX_C_EXPORT kubexx_status kubexx_loop_new(kubexx_loop** loop, kubexx_error** error);
/// For poll, epoll (level-triggered) and their like; nobody reads it. -1 for NULL. Threads: any.
KUBEXX_C_EXPORT int kubexx_loop_fd(const kubexx_loop* loop);
/// Runs what is ready, never waits. `ran` may be NULL. KUBEXX_MISUSE: another thread is in it. Threads: the loop's.
KUBEXX_C_EXPORT kubexx_status kubexx_loop_run_ready(kubexx_loop* loop, size_t* ran, kubexx_error** error);
KUBEXX_C_EXPORT void kubexx_loop_free(kubexx_loop* loop);

// ---- Configuration --------------------------------------------------------------------------------------------------

/// How to reach an API server. load: the file or text of the options, else $KUBECONFIG, ~/.kube/config, in-cluster.
/// explicit: of the options alone, SERVER at least. Options: those for configurations, NAMESPACE, TIMEOUT_MS.
/// Threads: any; files are read on the calling one.
KUBEXX_C_EXPORT kubexx_status kubexx_config_load(const kubexx_options* options, kubexx_config** config,
                                                 kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_config_in_cluster(const kubexx_options* options, kubexx_config** config,
                                                       kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_config_explicit(const kubexx_options* options, kubexx_config** config,
                                                     kubexx_error** error);
/// Where it leads, and the namespace of its context. Live as long as the configuration. Threads: any.
KUBEXX_C_EXPORT kubexx_view kubexx_config_server(const kubexx_config* config);
KUBEXX_C_EXPORT kubexx_view kubexx_config_namespace(const kubexx_config* config);
KUBEXX_C_EXPORT void kubexx_config_free(kubexx_config* config);

// ---- Client ---------------------------------------------------------------------------------------------------------

/// `loop` NULL: the client has threads of its own; otherwise the loop drives it, and it starts none. Options: none yet.
/// Threads: any; a client may be used from all.
KUBEXX_C_EXPORT kubexx_status kubexx_client_new(const kubexx_config* config, const kubexx_options* options,
                                                kubexx_loop* loop, kubexx_client** client, kubexx_error** error);
/// Calls that are under way end as they would have.
KUBEXX_C_EXPORT void kubexx_client_free(kubexx_client* client);

/// Calls on any resource, named "v1/pods", "apps/v1/deployments", "example.com/v1/widgets". `name_space` NULL or "":
/// cluster-wide, or all namespaces. Bodies and answers are JSON; the answer ends with kubexx_text_free(), and either
/// pointer for it may be NULL. Lists answer an object with metadata and items. Options: TIMEOUT_MS and the stopper, and
/// those for calls.
/// Blocks until the answer is there, or drives the loop. Threads: any; with a loop, its own. Not in a callback of a
/// client without a loop if it can be helped: it keeps a thread waiting.
KUBEXX_C_EXPORT kubexx_status kubexx_client_get(kubexx_client* client, const char* resource, const char* name_space,
                                                const char* name, const kubexx_options* options, char** json,
                                                size_t* size, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_client_list(kubexx_client* client, const char* resource, const char* name_space,
                                                 const kubexx_options* options, char** json, size_t* size,
                                                 kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_client_create(kubexx_client* client, const char* resource, const char* name_space,
                                                   const char* body, size_t body_size, const kubexx_options* options,
                                                   char** json, size_t* size, kubexx_error** error);
/// The name is that of the body.
KUBEXX_C_EXPORT kubexx_status kubexx_client_update(kubexx_client* client, const char* resource, const char* name_space,
                                                   const char* body, size_t body_size, const kubexx_options* options,
                                                   char** json, size_t* size, kubexx_error** error);
typedef int kubexx_patch_type;
enum { KUBEXX_PATCH_MERGE = 0, KUBEXX_PATCH_JSON = 1, KUBEXX_PATCH_STRATEGIC = 2 };
KUBEXX_C_EXPORT kubexx_status kubexx_client_patch(kubexx_client* client, const char* resource, const char* name_space,
                                                  const char* name, kubexx_patch_type type, const char* body,
                                                  size_t body_size, const kubexx_options* options, char** json,
                                                  size_t* size, kubexx_error** error);
/// Server-side apply; the name is that of the body, and FIELD_MANAGER is needed.
KUBEXX_C_EXPORT kubexx_status kubexx_client_apply(kubexx_client* client, const char* resource, const char* name_space,
                                                  const char* body, size_t body_size, const kubexx_options* options,
                                                  char** json, size_t* size, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_client_delete(kubexx_client* client, const char* resource, const char* name_space,
                                                   const char* name, const kubexx_options* options,
                                                   kubexx_error** error);

/// The result of a call: `json` (of `size` bytes; "" of a delete) or `error`, which is NULL if there is none. Both are
/// borrowed for the call.
typedef void (*kubexx_on_answer)(const char* json, size_t size, const kubexx_error* error, void* user_data);

/// The same, without waiting: `on_answer` is called once, never inside the call that begins. An argument that cannot be
/// right is refused at once, and then it is not called. Threads: any.
KUBEXX_C_EXPORT kubexx_status kubexx_client_get_async(kubexx_client* client, const char* resource,
                                                      const char* name_space, const char* name,
                                                      const kubexx_options* options, kubexx_on_answer on_answer,
                                                      void* user_data, kubexx_release release, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_client_list_async(kubexx_client* client, const char* resource,
                                                       const char* name_space, const kubexx_options* options,
                                                       kubexx_on_answer on_answer, void* user_data,
                                                       kubexx_release release, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_client_create_async(kubexx_client* client, const char* resource,
                                                         const char* name_space, const char* body, size_t body_size,
                                                         const kubexx_options* options, kubexx_on_answer on_answer,
                                                         void* user_data, kubexx_release release, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_client_update_async(kubexx_client* client, const char* resource,
                                                         const char* name_space, const char* body, size_t body_size,
                                                         const kubexx_options* options, kubexx_on_answer on_answer,
                                                         void* user_data, kubexx_release release, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_client_patch_async(kubexx_client* client, const char* resource,
                                                        const char* name_space, const char* name,
                                                        kubexx_patch_type type, const char* body, size_t body_size,
                                                        const kubexx_options* options, kubexx_on_answer on_answer,
                                                        void* user_data, kubexx_release release, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_client_apply_async(kubexx_client* client, const char* resource,
                                                        const char* name_space, const char* body, size_t body_size,
                                                        const kubexx_options* options, kubexx_on_answer on_answer,
                                                        void* user_data, kubexx_release release, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_client_delete_async(kubexx_client* client, const char* resource,
                                                         const char* name_space, const char* name,
                                                         const kubexx_options* options, kubexx_on_answer on_answer,
                                                         void* user_data, kubexx_release release, kubexx_error** error);

// ---- Objects --------------------------------------------------------------------------------------------------------

/// What stands at a place of an object.
typedef int kubexx_value_type;
enum {
  KUBEXX_ABSENT = 0,
  KUBEXX_NULL = 1,
  KUBEXX_BOOL = 2,
  KUBEXX_INT = 3,
  KUBEXX_DOUBLE = 4,
  KUBEXX_STRING = 5,
  KUBEXX_LIST = 6,
  KUBEXX_MAP = 7
};

/// An object never changes. A handle of its own on a borrowed one, without copying it. Threads: any, all of these.
KUBEXX_C_EXPORT kubexx_status kubexx_object_ref(const kubexx_object* object, kubexx_object** copy,
                                                kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_object_parse(const char* json, size_t size, kubexx_object** object,
                                                  kubexx_error** error);
KUBEXX_C_EXPORT void kubexx_object_free(kubexx_object* object);

/// Of its metadata; empty where it has none. Views live as long as the handle they were asked of. Threads: any.
KUBEXX_C_EXPORT kubexx_view kubexx_object_name(const kubexx_object* object);
KUBEXX_C_EXPORT kubexx_view kubexx_object_namespace(const kubexx_object* object);
KUBEXX_C_EXPORT kubexx_view kubexx_object_uid(const kubexx_object* object);
KUBEXX_C_EXPORT kubexx_view kubexx_object_resource_version(const kubexx_object* object);

/// A field by its JSON pointer (RFC 6901): "/spec/containers/0/image", "" for the whole. Nothing is copied.
/// KUBEXX_NOT_FOUND: there is none; KUBEXX_WRONG_TYPE: it is something else. Threads: any.
KUBEXX_C_EXPORT kubexx_value_type kubexx_object_type(const kubexx_object* object, const char* pointer);
KUBEXX_C_EXPORT kubexx_status kubexx_object_string(const kubexx_object* object, const char* pointer,
                                                   kubexx_view* value);
KUBEXX_C_EXPORT kubexx_status kubexx_object_int(const kubexx_object* object, const char* pointer, int64_t* value);
KUBEXX_C_EXPORT kubexx_status kubexx_object_double(const kubexx_object* object, const char* pointer, double* value);
KUBEXX_C_EXPORT kubexx_status kubexx_object_bool(const kubexx_object* object, const char* pointer, int* value);
/// Of a list or map: how many, and the key of a map's entry by its place.
KUBEXX_C_EXPORT kubexx_status kubexx_object_size(const kubexx_object* object, const char* pointer, size_t* size);
KUBEXX_C_EXPORT kubexx_status kubexx_object_key_at(const kubexx_object* object, const char* pointer, size_t place,
                                                   kubexx_view* key);
/// The field as JSON, for kubexx_text_free(). `size` may be NULL.
KUBEXX_C_EXPORT kubexx_status kubexx_object_json(const kubexx_object* object, const char* pointer, char** json,
                                                 size_t* size, kubexx_error** error);

/// Objects in a row. What kubexx_list_at() answers is the list's; NULL beyond its end. Threads: any.
KUBEXX_C_EXPORT size_t kubexx_list_size(const kubexx_list* list);
KUBEXX_C_EXPORT const kubexx_object* kubexx_list_at(const kubexx_list* list, size_t place);
KUBEXX_C_EXPORT void kubexx_list_free(kubexx_list* list);

// ---- Informers ------------------------------------------------------------------------------------------------------

/// A cache of one resource that follows the server, and calls handlers on every change. Options: NAMESPACE,
/// LABEL_SELECTOR, FIELD_SELECTOR, and those for informers. Nothing happens before the start.
/// Threads: any, all of these, but for what is said of free.
KUBEXX_C_EXPORT kubexx_status kubexx_informer_new(kubexx_client* client, const char* resource,
                                                  const kubexx_options* options, kubexx_informer** informer,
                                                  kubexx_error** error);
/// Once. KUBEXX_MISUSE: a second time, or after the stop.
KUBEXX_C_EXPORT kubexx_status kubexx_informer_start(kubexx_informer* informer, kubexx_error** error);
/// Asks it to end, for good. The cache can still be read.
KUBEXX_C_EXPORT void kubexx_informer_stop(kubexx_informer* informer);
/// Waits until nothing of a stopped informer runs, handlers included. KUBEXX_MISUSE: it was not stopped, or the caller
/// is a callback, which might be waiting for itself.
KUBEXX_C_EXPORT kubexx_status kubexx_informer_join(kubexx_informer* informer, kubexx_error** error);
/// Stops, waits (see above), and frees. Its registrations may be freed before or after it.
KUBEXX_C_EXPORT void kubexx_informer_free(kubexx_informer* informer);

/// 1: the first whole list is in the cache. Threads: any, all of these; with a loop, its own for what waits.
KUBEXX_C_EXPORT int kubexx_informer_has_synced(const kubexx_informer* informer);
/// Waits for that. Otherwise the error says why not yet: what the server answered, how often it was tried. Options:
/// TIMEOUT_MS, FAIL_FAST, and the stopper. KUBEXX_CANCELED: by the stopper, or the informer was stopped before.
KUBEXX_C_EXPORT kubexx_status kubexx_informer_wait_for_sync(kubexx_informer* informer, const kubexx_options* options,
                                                            kubexx_error** error);
/// Waits until the cache is at least as new as a version that a write answered. Options: TIMEOUT_MS, and the stopper.
KUBEXX_C_EXPORT kubexx_status kubexx_informer_wait_for_version(kubexx_informer* informer, const char* resource_version,
                                                               const kubexx_options* options, kubexx_error** error);
/// How it stands, as JSON: started, synced, stopped, stale, objects, bytes, last error, handlers. Fields may be added.
KUBEXX_C_EXPORT kubexx_status kubexx_informer_status(const kubexx_informer* informer, char** json, size_t* size,
                                                     kubexx_error** error);

/// What happened to an object.
typedef int kubexx_event_type;
enum { KUBEXX_ADDED = 1, KUBEXX_UPDATED = 2, KUBEXX_DELETED = 3 };
/// Why a handler hears of it.
typedef int kubexx_event_cause;
enum {
  KUBEXX_CAUSE_INITIAL = 1,  ///< of the first list, or of what was there when the handler came
  KUBEXX_CAUSE_WATCH = 2,
  KUBEXX_CAUSE_RELIST = 3,
  KUBEXX_CAUSE_RESYNC = 4  ///< nothing changed; the handler asked for reminders
};

/// Calls of one handler come one at a time and in order. A handler may block where the client has threads.
typedef void (*kubexx_on_event)(const kubexx_event* event, void* user_data);

/// Before or after the start; one that comes later first hears of everything that is there. Options: NAME, RESYNC_MS,
/// COALESCE, SPLIT_REPLACED. KUBEXX_CANCELED: the informer was stopped. Threads: any, all of these.
KUBEXX_C_EXPORT kubexx_status kubexx_informer_add_handler(kubexx_informer* informer, const kubexx_options* options,
                                                          kubexx_on_event on_event, void* user_data,
                                                          kubexx_release release, kubexx_registration** registration,
                                                          kubexx_error** error);
/// 1: the handler has heard of everything of the first list.
KUBEXX_C_EXPORT int kubexx_registration_has_synced(const kubexx_registration* registration);
/// Removes the handler and waits for a call of it that runs; inside that very call it is not waited for.
KUBEXX_C_EXPORT void kubexx_registration_free(kubexx_registration* registration);

/// Of the event a handler is called with; borrowed for the call, and so is what they answer. `object` is the new state;
/// of a deletion the last known, NULL if there is none. `before` is NULL unless it is an update. `key` is
/// "namespace/name". `final_state_known` 0: the deletion was not seen, and the object may be an older one.
/// Threads: any, until the call returns.
KUBEXX_C_EXPORT kubexx_event_type kubexx_event_get_type(const kubexx_event* event);
KUBEXX_C_EXPORT kubexx_event_cause kubexx_event_get_cause(const kubexx_event* event);
KUBEXX_C_EXPORT const kubexx_object* kubexx_event_object(const kubexx_event* event);
KUBEXX_C_EXPORT const kubexx_object* kubexx_event_before(const kubexx_event* event);
KUBEXX_C_EXPORT kubexx_view kubexx_event_key(const kubexx_event* event);
KUBEXX_C_EXPORT int kubexx_event_final_state_known(const kubexx_event* event);

/// The cache, without asking the server. key: "namespace/name", or "name" of what has no namespace. Lists: NULL or ""
/// for all namespaces, NULL or "" for all labels; in no order. Indexes: those of the options, and "namespace".
/// Threads: any.
KUBEXX_C_EXPORT kubexx_status kubexx_informer_get(const kubexx_informer* informer, const char* key,
                                                  kubexx_object** object, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_informer_list(const kubexx_informer* informer, const char* name_space,
                                                   const char* label_selector, kubexx_list** list,
                                                   kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_informer_by_index(const kubexx_informer* informer, const char* index,
                                                       const char* value, kubexx_list** list, kubexx_error** error);
KUBEXX_C_EXPORT size_t kubexx_informer_size(const kubexx_informer* informer);

/// The cache as it is at this moment, for as long as the handle lives; costs little, whatever its size. Threads: any.
KUBEXX_C_EXPORT kubexx_status kubexx_informer_snapshot(const kubexx_informer* informer, kubexx_snapshot** snapshot,
                                                       kubexx_error** error);
KUBEXX_C_EXPORT size_t kubexx_snapshot_size(const kubexx_snapshot* snapshot);
KUBEXX_C_EXPORT kubexx_view kubexx_snapshot_resource_version(const kubexx_snapshot* snapshot);
KUBEXX_C_EXPORT kubexx_status kubexx_snapshot_get(const kubexx_snapshot* snapshot, const char* key,
                                                  kubexx_object** object, kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_snapshot_list(const kubexx_snapshot* snapshot, kubexx_list** list,
                                                   kubexx_error** error);
KUBEXX_C_EXPORT kubexx_status kubexx_snapshot_by_index(const kubexx_snapshot* snapshot, const char* index,
                                                       const char* value, kubexx_list** list, kubexx_error** error);
KUBEXX_C_EXPORT void kubexx_snapshot_free(kubexx_snapshot* snapshot);

// ---- Elections ------------------------------------------------------------------------------------------------------

/// What happened to a candidacy.
typedef int kubexx_election_event_type;
enum {
  KUBEXX_STARTED_LEADING = 1,  ///< this candidate leads until KUBEXX_STOPPED_LEADING
  KUBEXX_STOPPED_LEADING = 2,  ///< the candidacy is over, also of one that never led
  KUBEXX_NEW_LEADER = 3        ///< somebody holds the Lease, or nobody does
};
/// Called on a thread of the library, one call at a time; the event is borrowed.
typedef void (*kubexx_on_election)(const kubexx_election_event* event, void* user_data);

/// Stands for election on a Lease. Options: NAME and IDENTITY, which are needed, NAMESPACE, and those for elections.
/// The call with KUBEXX_STARTED_LEADING may do the leading work itself, as long as kubexx_elector_may_lead(), or begin
/// it and return; a stopped leader gives the Lease back after it returned. Threads: any, all of these.
KUBEXX_C_EXPORT kubexx_status kubexx_elector_new(kubexx_client* client, const kubexx_options* options,
                                                 kubexx_on_election on_election, void* user_data,
                                                 kubexx_release release, kubexx_elector** elector,
                                                 kubexx_error** error);
/// Returns at once. KUBEXX_MISUSE: a candidacy is under way. May be called again after its end.
KUBEXX_C_EXPORT kubexx_status kubexx_elector_start(kubexx_elector* elector, kubexx_error** error);
KUBEXX_C_EXPORT void kubexx_elector_stop(kubexx_elector* elector);
/// 1: this program leads. 0 from the moment on at which another may.
KUBEXX_C_EXPORT int kubexx_elector_is_leader(const kubexx_elector* elector);
/// 1: it leads, and was not told to stop.
KUBEXX_C_EXPORT int kubexx_elector_may_lead(const kubexx_elector* elector);
/// Waits until it leads. KUBEXX_CANCELED too when the candidacy ends without. Options: TIMEOUT_MS, and the stopper.
KUBEXX_C_EXPORT kubexx_status kubexx_elector_wait_until_leading(kubexx_elector* elector, const kubexx_options* options,
                                                                kubexx_error** error);
/// The fencing token of the term, for systems outside Kubernetes; KUBEXX_MISUSE: it does not lead.
KUBEXX_C_EXPORT kubexx_status kubexx_elector_token(const kubexx_elector* elector, char** token, kubexx_error** error);
/// A client whose writes are refused with KUBEXX_CANCELED once the term has ended; KUBEXX_MISUSE: it does not lead.
KUBEXX_C_EXPORT kubexx_status kubexx_elector_guarded_client(const kubexx_elector* elector, kubexx_client** client,
                                                            kubexx_error** error);
/// Stops, waits until the candidacy has ended (see above), and frees.
KUBEXX_C_EXPORT void kubexx_elector_free(kubexx_elector* elector);
/// Of the event that a callback gets. The holder is that of a KUBEXX_NEW_LEADER; empty: nobody.
KUBEXX_C_EXPORT kubexx_election_event_type kubexx_election_event_get_type(const kubexx_election_event* event);
KUBEXX_C_EXPORT kubexx_view kubexx_election_event_holder(const kubexx_election_event* event);

/// Says who leads, by a watch of the Lease, without standing for election. Options: NAME, which is needed, NAMESPACE.
/// `on_change` is called for another holder, term or annotation, and first for what is there; not for renewals. It may
/// be NULL. Threads: any, all of these.
typedef void (*kubexx_on_leader)(const kubexx_leader* leader, void* user_data);
KUBEXX_C_EXPORT kubexx_status kubexx_observer_new(kubexx_client* client, const kubexx_options* options,
                                                  kubexx_on_leader on_change, void* user_data, kubexx_release release,
                                                  kubexx_observer** observer, kubexx_error** error);
/// Once. KUBEXX_MISUSE: a second time.
KUBEXX_C_EXPORT kubexx_status kubexx_observer_start(kubexx_observer* observer, kubexx_error** error);
KUBEXX_C_EXPORT void kubexx_observer_stop(kubexx_observer* observer);
/// Waits until somebody leads. Options: TIMEOUT_MS, and the stopper.
KUBEXX_C_EXPORT kubexx_status kubexx_observer_wait_for_leader(kubexx_observer* observer, const kubexx_options* options,
                                                              kubexx_error** error);
/// What is known now; the caller frees it.
KUBEXX_C_EXPORT kubexx_status kubexx_observer_leader(const kubexx_observer* observer, kubexx_leader** leader,
                                                     kubexx_error** error);
KUBEXX_C_EXPORT void kubexx_observer_free(kubexx_observer* observer);
/// The holder (empty: nobody, or not known yet), an annotation of the Lease (empty: none), how often leaders changed;
/// 1: the server has said it; 1: the Lease was not renewed in time. Threads: any.
KUBEXX_C_EXPORT kubexx_view kubexx_leader_holder(const kubexx_leader* leader);
KUBEXX_C_EXPORT kubexx_view kubexx_leader_annotation(const kubexx_leader* leader, const char* key);
KUBEXX_C_EXPORT int64_t kubexx_leader_transitions(const kubexx_leader* leader);
KUBEXX_C_EXPORT int kubexx_leader_known(const kubexx_leader* leader);
KUBEXX_C_EXPORT int kubexx_leader_expired(const kubexx_leader* leader);
KUBEXX_C_EXPORT void kubexx_leader_free(kubexx_leader* leader);

// ---- Logs of pods ---------------------------------------------------------------------------------------------------

/// One line, borrowed for the call. Those of one container come in order and one at a time.
typedef void (*kubexx_on_log_line)(const kubexx_log_line* line, void* user_data);
/// A log could not be read and is tried again; once a reason. `where` is a line without text: where it would come from.
typedef void (*kubexx_on_log_problem)(const kubexx_log_line* where, const kubexx_error* error, void* user_data);
/// The logs of all containers of the pods that match, as they come, start again and go; what was cut goes on where it
/// was. Options: NAMESPACE, LABEL_SELECTOR, FIELD_SELECTOR, CONTAINER, SINCE_MS, TAIL_LINES, MAX_STREAMS,
/// MAX_LINE_BYTES. `on_problem` may be NULL. Threads: any, all of these.
KUBEXX_C_EXPORT kubexx_status kubexx_logs_new(kubexx_client* client, const kubexx_options* options,
                                              kubexx_on_log_line on_line, kubexx_on_log_problem on_problem,
                                              void* user_data, kubexx_release release, kubexx_logs** logs,
                                              kubexx_error** error);
/// Once. KUBEXX_MISUSE: a second time.
KUBEXX_C_EXPORT kubexx_status kubexx_logs_start(kubexx_logs* logs, kubexx_error** error);
/// Lines that wait are dropped.
KUBEXX_C_EXPORT void kubexx_logs_stop(kubexx_logs* logs);
/// 1: the pods are known; how many logs are being read; how often lines may be missing so far.
KUBEXX_C_EXPORT int kubexx_logs_has_synced(const kubexx_logs* logs);
KUBEXX_C_EXPORT int64_t kubexx_logs_open(const kubexx_logs* logs);
KUBEXX_C_EXPORT int64_t kubexx_logs_gaps(const kubexx_logs* logs);
KUBEXX_C_EXPORT void kubexx_logs_free(kubexx_logs* logs);
/// Of the line that a callback gets: its bytes as they are, without the end of the line; where it came from, and the
/// restarts of that container; when the runtime took it, in nanoseconds since 1970; 1: the next line goes on with it;
/// 1: lines before it may be missing. Threads: any.
KUBEXX_C_EXPORT kubexx_view kubexx_log_line_text(const kubexx_log_line* line);
KUBEXX_C_EXPORT kubexx_view kubexx_log_line_namespace(const kubexx_log_line* line);
KUBEXX_C_EXPORT kubexx_view kubexx_log_line_pod(const kubexx_log_line* line);
KUBEXX_C_EXPORT kubexx_view kubexx_log_line_uid(const kubexx_log_line* line);
KUBEXX_C_EXPORT kubexx_view kubexx_log_line_container(const kubexx_log_line* line);
KUBEXX_C_EXPORT int64_t kubexx_log_line_restarts(const kubexx_log_line* line);
KUBEXX_C_EXPORT int64_t kubexx_log_line_time_ns(const kubexx_log_line* line);
KUBEXX_C_EXPORT int kubexx_log_line_continues(const kubexx_log_line* line);
KUBEXX_C_EXPORT int kubexx_log_line_after_gap(const kubexx_log_line* line);

// ---- The process: log lines, errors without a caller, metrics -------------------------------------------------------

/// How much a line matters.
typedef int kubexx_log_level;
enum {
  KUBEXX_LOG_TRACE = 0,
  KUBEXX_LOG_DEBUG = 1,
  KUBEXX_LOG_INFO = 2,
  KUBEXX_LOG_WARNING = 3,
  KUBEXX_LOG_ERROR = 4,
  KUBEXX_LOG_OFF = 5
};
/// `line` is borrowed for the call. It comes from any thread, several at once; it must not block for long, nor log.
typedef void (*kubexx_on_log)(kubexx_log_level level, kubexx_view line, void* user_data);
/// Where log lines of at least that level go; NULL: nowhere. Until it is called, warnings and errors go to standard
/// error. One for the process; the one before is released when no line is on its way to it. Threads: any.
KUBEXX_C_EXPORT kubexx_status kubexx_set_log(kubexx_log_level minimum, kubexx_on_log on_log, void* user_data,
                                             kubexx_release release, kubexx_error** error);

/// An error that has no caller to return to; `where` says what was under way. Both are borrowed for the call. It comes
/// from any thread, several at once.
typedef void (*kubexx_on_error)(const kubexx_error* error, kubexx_view where, void* user_data);
/// Where such errors go; NULL: they become log lines again. One for the process; the one before is released when no
/// error is on its way to it. Threads: any.
KUBEXX_C_EXPORT kubexx_status kubexx_set_error_callback(kubexx_on_error on_error, void* user_data,
                                                        kubexx_release release, kubexx_error** error);

/// Every metric of the process in the text format of Prometheus, for kubexx_text_free(). Threads: any.
KUBEXX_C_EXPORT kubexx_status kubexx_metrics(char** text, size_t* size, kubexx_error** error);

#ifdef __cplusplus
}
#endif

#endif
