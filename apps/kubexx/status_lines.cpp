#include "status_lines.hpp"

#include "output.hpp"
#include "progress.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {

StatusLines::StatusLines(rest::Client client, std::vector<std::shared_ptr<informer::SharedIndexInformer>> informers,
                         std::vector<std::optional<std::uint64_t>> totals)
    : client_(std::move(client)), informers_(std::move(informers)), totals_(std::move(totals)) {}

std::vector<std::string> StatusLines::lines(std::size_t width) const {
  std::string counts;
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < informers_.size(); ++i) {
    const auto status = informers_[i]->status();
    const auto name = cell_text(status.description);
    const auto state = std::string(to_string(status.reflector.state));
    if (status.synced) {
      counts += (counts.empty() ? "" : "   ") + name + ' ' + grouped(status.objects);
    } else {
      const auto objects = std::max(status.objects, status.reflector.initial_items);
      notes.push_back(name + ": " + state + ", " + progress_text(objects, totals_[i], received_bytes(client_)));
    }
    if (status.reflector.last_error) {
      notes.push_back(name + ": " + state + ": " + one_line(status.reflector.last_error->message()));
    } else if (status.stale) {
      notes.push_back(name + ": nothing heard for a while");
    }
  }
  const auto where = one_line(client_.config().host);
  std::vector<std::string> lines;
  const auto first = (counts.empty() ? "" : counts + "   ") + where + "   q quits";
  lines.push_back(styled(cut_to(first, width), kCyan));
  for (const auto& text : notes) lines.push_back(styled(cut_to(text, width), kYellow));
  lines.emplace_back();
  return lines;
}

}  // namespace kubexx::app
