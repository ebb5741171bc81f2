#!/usr/bin/env python3
"""Prints every pod that comes, changes and goes, and reads the informer's cache from Python; ctypes and libkubexx_c alone."""
import ctypes
import json
import os
import signal
import sys

kubexx = ctypes.CDLL(os.environ.get("KUBEXX_C_LIBRARY", "libkubexx_c.so.0"))
KUBEXX_OK = 0


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("size", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.size).decode()


ON_EVENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
kubexx.kubexx_error_message.restype = ctypes.c_char_p
kubexx.kubexx_event_key.restype = View
kubexx.kubexx_list_size.restype = ctypes.c_size_t
kubexx.kubexx_list_at.restype = ctypes.c_void_p


def call(function, *arguments):
    error = ctypes.c_void_p()
    if function(*arguments, ctypes.byref(error)) != KUBEXX_OK:
        message = kubexx.kubexx_error_message(error).decode()
        kubexx.kubexx_error_free(error)
        raise RuntimeError(message)


def make(function, *arguments):
    made = ctypes.c_void_p()
    call(function, *arguments, ctypes.byref(made))
    return made


def to_python(item):
    text = ctypes.c_void_p()
    call(kubexx.kubexx_object_json, ctypes.c_void_p(item), b"", ctypes.byref(text), None)
    value = json.loads(ctypes.string_at(text))
    kubexx.kubexx_text_free(text)
    return value


def say(line):
    sys.stdout.write(line + "\n")  # in one piece: the handler and main() are two threads
    sys.stdout.flush()


@ON_EVENT
def show(event, _):
    key = kubexx.kubexx_event_key(ctypes.c_void_p(event))
    say(f"{' +~-'[kubexx.kubexx_event_get_type(ctypes.c_void_p(event))]} {key}")


def main():
    # They wait until somebody asks for them. A handler in Python that comes just before a wait does not end it.
    stop = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)

    config = make(kubexx.kubexx_config_load, None)  # $KUBECONFIG, ~/.kube/config, then in-cluster
    client = make(kubexx.kubexx_client_new, config, None, None)
    informer = make(kubexx.kubexx_informer_new, client, b"v1/pods", None)
    registration = make(kubexx.kubexx_informer_add_handler, informer, None, show, None, None)
    call(kubexx.kubexx_informer_start, informer)
    call(kubexx.kubexx_informer_wait_for_sync, informer, None)

    cached = make(kubexx.kubexx_informer_list, informer, None, None)
    pods = [to_python(kubexx.kubexx_list_at(cached, ctypes.c_size_t(i))) for i in range(kubexx.kubexx_list_size(cached))]
    kubexx.kubexx_list_free(cached)
    say(f"{len(pods)} pods of {len({pod['metadata']['namespace'] for pod in pods})} namespaces, read from the cache")

    signal.sigwait(stop)
    kubexx.kubexx_registration_free(registration)
    kubexx.kubexx_informer_free(informer)
    kubexx.kubexx_client_free(client)
    kubexx.kubexx_config_free(config)


if __name__ == "__main__":
    main()
