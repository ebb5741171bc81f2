#include "inspect/event_stream.hpp"

#include <utility>

namespace kubexx::inspect {

bool EventStream::open(const httpd::Responder& responder, httpd::HeaderFields fields, const std::string& first) {
  const std::lock_guard lock(mutex_);
  std::erase_if(pages_, [](const Page& page) { return page.responder.closed(); });
  if (pages_.size() >= most_) return false;
  responder.start(200, std::move(fields));
  responder.write(first);
  pages_.push_back({responder});
  return true;
}

void EventStream::send(const std::string& message) {
  const auto now = clock_.now();
  const auto bytes = std::make_shared<const std::string>(message);
  const std::lock_guard lock(mutex_);
  std::erase_if(pages_, [&](Page& page) {
    if (page.responder.closed()) return true;
    if (page.responder.backlog() <= kBacklog) {
      page.behind = false;
      page.responder.write(bytes);
      return false;
    }
    ++missed_;
    if (!std::exchange(page.behind, true)) page.behind_since = now;
    if (now - page.behind_since < kPatience) return false;
    page.responder.abort();
    return true;
  });
}

std::size_t EventStream::size() {
  const std::lock_guard lock(mutex_);
  std::erase_if(pages_, [](const Page& page) { return page.responder.closed(); });
  return pages_.size();
}

std::size_t EventStream::missed() const {
  const std::lock_guard lock(mutex_);
  return missed_;
}

std::string sse_message(std::string_view event, std::string_view data) {
  std::string message = "event: ";
  message += event;
  message += "\ndata: ";
  message += data;
  message += "\n\n";
  return message;
}

}  // namespace kubexx::inspect
