// The calls of a client, each blocking and with a callback: one way for all of them in either form.
#include "c/boundary.hpp"
#include "c/calls.hpp"

namespace kubexx::c {
namespace {

/// Stops with the program's token, or with the loop.
class CallStop {
 public:
  CallStop(const std::stop_token& programs, const std::stop_token& loops)
      : by_program_(programs, Forward{source_}), by_loop_(loops, Forward{source_}) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  struct Forward {
    std::stop_source source;
    void operator()() noexcept { source.request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Forward> by_program_;
  std::stop_callback<Forward> by_loop_;
};

/// Calls back once, also where the operation is dropped.
class Answering {
 public:
  Answering(kubexx_on_answer on_answer, std::shared_ptr<UserData> user_data, std::shared_ptr<LoopUse::Ending> loop)
      : on_answer_(on_answer), user_data_(std::move(user_data)), loop_(std::move(loop)) {
    if (loop_) ++loop_->calls_left;
  }
  ~Answering() {
    if (!std::exchange(answered_, true)) call_isolated("answer", [&] { tell(Error::canceled("the loop has ended")); });
    user_data_.reset();
    if (loop_) --loop_->calls_left;
  }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  void operator()(const Answer& answer) {
    answered_ = true;
    tell(answer);
  }

 private:
  void tell(const Answer& answer) const {
    const Callback callback;
    if (answer) return on_answer_(answer->c_str(), answer->size(), nullptr, user_data_->get());
    const kubexx_error error = as_c(answer.error());
    on_answer_("", 0, &error, user_data_->get());
  }

  const kubexx_on_answer on_answer_;
  std::shared_ptr<UserData> user_data_;
  const std::shared_ptr<LoopUse::Ending> loop_;
  bool answered_ = false;
};

kubexx_status call_and_wait(kubexx_error** error, const CallArguments& arguments, char** json, std::size_t* size,
                            UniqueFunction<MakeCall()> read) {
  return guarded(error, [&] {
    auto make = read();
    const auto stop = arguments.options && arguments.options->stop ? *arguments.options->stop : std::stop_token();
    hand_out(make(stop).wait().value(), json, size);
  });
}

struct AnswerTo {
  kubexx_on_answer on_answer = nullptr;
  void* user_data = nullptr;
  kubexx_release release = nullptr;
};

kubexx_status call_and_return(kubexx_error** error, const CallArguments& arguments, const AnswerTo& to,
                              UniqueFunction<MakeCall()> read) {
  return guarded(error, [&] {
    if (!to.on_answer) invalid("on_answer is NULL");
    auto make = read();
    const auto loop = arguments.client->loop ? arguments.client->loop->ending() : nullptr;
    const auto programs = arguments.options && arguments.options->stop ? *arguments.options->stop : std::stop_token();
    auto stop = std::make_shared<CallStop>(programs, loop ? loop->stop.get_token() : std::stop_token());
    auto operation = make(stop->token()).on(arguments.client->client.handlers());
    const auto user_data = std::make_shared<UserData>(to.user_data);
    auto answering = std::make_shared<Answering>(to.on_answer, user_data, loop);  // from here on it calls back
    user_data->take(to.release);
    std::move(operation).start(
        [answering = std::move(answering), stop](const Answer& answer) { (*answering)(answer); });
  });
}

}  // namespace
}  // namespace kubexx::c

using kubexx::c::AnswerTo;
using kubexx::c::call_and_return;
using kubexx::c::call_and_wait;
using kubexx::c::CallArguments;

kubexx_status kubexx_client_get(kubexx_client* client, const char* resource, const char* name_space, const char* name,
                                const kubexx_options* options, char** json, size_t* size, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, name, nullptr, 0, options};
  return call_and_wait(error, arguments, json, size, [&] { return kubexx::c::call_get(arguments); });
}

kubexx_status kubexx_client_get_async(kubexx_client* client, const char* resource, const char* name_space,
                                      const char* name, const kubexx_options* options, kubexx_on_answer on_answer,
                                      void* user_data, kubexx_release release, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, name, nullptr, 0, options};
  return call_and_return(error, arguments, {on_answer, user_data, release},
                         [&] { return kubexx::c::call_get(arguments); });
}

kubexx_status kubexx_client_list(kubexx_client* client, const char* resource, const char* name_space,
                                 const kubexx_options* options, char** json, size_t* size, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, nullptr, nullptr, 0, options};
  return call_and_wait(error, arguments, json, size, [&] { return kubexx::c::call_list(arguments); });
}

kubexx_status kubexx_client_list_async(kubexx_client* client, const char* resource, const char* name_space,
                                       const kubexx_options* options, kubexx_on_answer on_answer, void* user_data,
                                       kubexx_release release, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, nullptr, nullptr, 0, options};
  return call_and_return(error, arguments, {on_answer, user_data, release},
                         [&] { return kubexx::c::call_list(arguments); });
}

kubexx_status kubexx_client_create(kubexx_client* client, const char* resource, const char* name_space,
                                   const char* body, size_t body_size, const kubexx_options* options, char** json,
                                   size_t* size, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, nullptr, body, body_size, options};
  return call_and_wait(error, arguments, json, size, [&] { return kubexx::c::call_create(arguments); });
}

kubexx_status kubexx_client_create_async(kubexx_client* client, const char* resource, const char* name_space,
                                         const char* body, size_t body_size, const kubexx_options* options,
                                         kubexx_on_answer on_answer, void* user_data, kubexx_release release,
                                         kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, nullptr, body, body_size, options};
  return call_and_return(error, arguments, {on_answer, user_data, release},
                         [&] { return kubexx::c::call_create(arguments); });
}

kubexx_status kubexx_client_update(kubexx_client* client, const char* resource, const char* name_space,
                                   const char* body, size_t body_size, const kubexx_options* options, char** json,
                                   size_t* size, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, nullptr, body, body_size, options};
  return call_and_wait(error, arguments, json, size, [&] { return kubexx::c::call_update(arguments); });
}

kubexx_status kubexx_client_update_async(kubexx_client* client, const char* resource, const char* name_space,
                                         const char* body, size_t body_size, const kubexx_options* options,
                                         kubexx_on_answer on_answer, void* user_data, kubexx_release release,
                                         kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, nullptr, body, body_size, options};
  return call_and_return(error, arguments, {on_answer, user_data, release},
                         [&] { return kubexx::c::call_update(arguments); });
}

kubexx_status kubexx_client_apply(kubexx_client* client, const char* resource, const char* name_space, const char* body,
                                  size_t body_size, const kubexx_options* options, char** json, size_t* size,
                                  kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, nullptr, body, body_size, options};
  return call_and_wait(error, arguments, json, size, [&] { return kubexx::c::call_apply(arguments); });
}

kubexx_status kubexx_client_apply_async(kubexx_client* client, const char* resource, const char* name_space,
                                        const char* body, size_t body_size, const kubexx_options* options,
                                        kubexx_on_answer on_answer, void* user_data, kubexx_release release,
                                        kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, nullptr, body, body_size, options};
  return call_and_return(error, arguments, {on_answer, user_data, release},
                         [&] { return kubexx::c::call_apply(arguments); });
}

kubexx_status kubexx_client_patch(kubexx_client* client, const char* resource, const char* name_space, const char* name,
                                  kubexx_patch_type type, const char* body, size_t body_size,
                                  const kubexx_options* options, char** json, size_t* size, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, name, body, body_size, options};
  return call_and_wait(error, arguments, json, size, [&] { return kubexx::c::call_patch(arguments, type); });
}

kubexx_status kubexx_client_patch_async(kubexx_client* client, const char* resource, const char* name_space,
                                        const char* name, kubexx_patch_type type, const char* body, size_t body_size,
                                        const kubexx_options* options, kubexx_on_answer on_answer, void* user_data,
                                        kubexx_release release, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, name, body, body_size, options};
  return call_and_return(error, arguments, {on_answer, user_data, release},
                         [&] { return kubexx::c::call_patch(arguments, type); });
}

kubexx_status kubexx_client_delete(kubexx_client* client, const char* resource, const char* name_space,
                                   const char* name, const kubexx_options* options, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, name, nullptr, 0, options};
  return call_and_wait(error, arguments, nullptr, nullptr, [&] { return kubexx::c::call_delete(arguments); });
}

kubexx_status kubexx_client_delete_async(kubexx_client* client, const char* resource, const char* name_space,
                                         const char* name, const kubexx_options* options, kubexx_on_answer on_answer,
                                         void* user_data, kubexx_release release, kubexx_error** error) {
  const CallArguments arguments{client, resource, name_space, name, nullptr, 0, options};
  return call_and_return(error, arguments, {on_answer, user_data, release},
                         [&] { return kubexx::c::call_delete(arguments); });
}
