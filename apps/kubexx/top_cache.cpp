#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "command.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/store/store.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "targets.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

constexpr std::size_t kSample = 2000;  // objects that are decoded again for each projection

struct Flags {
  Connection connection;
  Selection selection;
  std::string resource;
  std::vector<std::string> fields;
  std::size_t top = 10;
  int depth = 2;
};

std::string percent(double part, double whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f%%", whole > 0 ? part / whole * 100 : 0);
  return text;
}

/// Tables below each other.
class Report {
 public:
  void table(const std::vector<TableText::Cells>& rows) {
    TableText table;
    for (const auto& row : rows) table.widen(row);
    if (!text_.empty()) text_ += '\n';
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text_ += (i == 0 ? styled(table.line(rows[i]), kBold) : table.line(rows[i])) + '\n';
    }
  }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// Bytes of JSON below each path of `depth` names; lists are passed through.
void add_fields(meta::Value value, const std::string& path, int depth, std::map<std::string, std::uint64_t>& sizes) {
  if (value.is_list()) {
    for (const auto item : value.items()) {
      if (item.is_map() && depth > 0) {
        add_fields(item, path, depth, sizes);
      } else {
        sizes[path] += meta::to_json(item).size();
      }
    }
  } else if (value.is_map() && depth > 0) {
    for (const auto& [key, below] : value.entries()) {
      add_fields(below, path.empty() ? std::string(key) : path + '.' + std::string(key), depth - 1, sizes);
    }
  } else {
    sizes[path] += meta::to_json(value).size();
  }
}

/// What an object occupies alone. In a cache, parts that several objects have stand once.
double bytes_alone(const meta::Object& object) {
  return static_cast<double>(object.byte_size() + object.shared_bytes());
}

/// What objects occupy when decoded with a projection, scaled from a sample.
double projected_bytes(const std::vector<std::string>& sample, double scale, const meta::Projection& projection) {
  meta::DecodeOptions options;
  options.projection = projection;
  meta::JsonDecoder decoder(options);
  double bytes = 0;
  for (const auto& json : sample) {
    if (const auto object = decoder.decode(json)) bytes += bytes_alone(*object);
  }
  return bytes * scale;
}

Result<client::ObjectList> list_everything(const rest::Client& client, const client::ApiResource& resource,
                                           const Flags& flags) {
  const client::ResourceApi api(client, resource.resource,
                                resource.namespaced ? flags.selection.namespace_of(client) : std::string());
  ProgressLine progress(client);
  client::ListOptions query;
  query.label_selector = flags.selection.label_selector;
  query.field_selector = flags.selection.field_selector;
  query.limit = 500;
  query.stop = stop_on_signals();
  client::ObjectList all;
  meta::ListProgress pages;
  do {
    auto page = api.list(query);
    if (!page) return page.error();
    if (auto more = pages.page(page->items.size(), page->meta.continue_token); !more) return more.error();
    all.items.insert(all.items.end(), page->items.begin(), page->items.end());
    all.meta = page->meta;
    query.continue_token = page->meta.continue_token;
    std::optional<std::uint64_t> total;
    if (const auto more = page->meta.remaining_item_count) total = all.items.size() + *more;
    progress.show(resource.resource.resource, all.items.size(), total);
  } while (!query.continue_token.empty());
  return all;
}

int top_cache(const Flags& flags) {
  std::optional<meta::Projection> chosen;
  if (!flags.fields.empty()) {
    auto made = meta::Projection::paths(flags.fields);
    if (!made) return misuse("--fields: " + made.error().message());
    chosen = *made;
  }
  auto client = flags.connection.connect();
  if (!client) return fail(client.error());
  client::ResourceMapper mapper(*client);
  const auto resource = resolve_resource(mapper, flags.resource);
  if (!resource) return fail(resource.error());
  auto all = list_everything(*client, *resource, flags);
  if (!all) return fail(all.error());
  const auto count = all->items.size();
  if (count == 0) {
    note("No resources found");
    return 0;
  }

  const auto step = std::max<std::size_t>(1, (count + kSample - 1) / kSample);
  std::vector<std::string> sample;
  std::map<std::string, std::uint64_t> fields;
  std::uint64_t sample_json = 0;
  for (std::size_t i = 0; i < count; i += step) {
    sample.push_back(meta::to_json(all->items[i]));
    sample_json += sample.back().size();
    add_fields(all->items[i].root(), "", flags.depth, fields);
  }
  const double scale = static_cast<double>(count) / static_cast<double>(sample.size());
  const double json = static_cast<double>(sample_json) * scale;
  const auto each = [&](double bytes) { return human_bytes(bytes / static_cast<double>(count)); };
  const auto full = projected_bytes(sample, scale, meta::Projection::full());
  const auto usual = projected_bytes(sample, scale, meta::Projection::without_managed_fields());
  const auto slim = projected_bytes(sample, scale, meta::Projection::metadata_only());

  Report report;
  report.table({{cell_text(resource->resource.group_resource().to_string()), "BYTES", "PER OBJECT"},
                {"objects", grouped(count), ""},
                {"in a cache (without managedFields)", human_bytes(usual), each(usual)},
                {"as JSON", human_bytes(json), each(json)}});

  std::vector<TableText::Cells> rows{{"BIGGEST OBJECTS", "BYTES"}};
  std::sort(all->items.begin(), all->items.end(),
            [](const auto& a, const auto& b) { return bytes_alone(a) > bytes_alone(b); });
  for (std::size_t i = 0; i < std::min(flags.top, count); ++i) {
    const auto& object = all->items[i];
    rows.push_back({cell_text(meta::ObjectKey::of(object).to_string()), human_bytes(bytes_alone(object))});
  }
  report.table(rows);

  std::vector<std::pair<std::uint64_t, std::string>> sizes;
  sizes.reserve(fields.size());
  for (const auto& [path, bytes] : fields) sizes.emplace_back(bytes, path);
  std::sort(sizes.rbegin(), sizes.rend());
  rows = {{"BIGGEST FIELDS", "JSON BYTES", "SHARE"}};
  for (std::size_t i = 0; i < std::min(flags.top, sizes.size()); ++i) {
    const auto bytes = static_cast<double>(sizes[i].first);
    rows.push_back(
        {cell_text(sizes[i].second), human_bytes(bytes * scale), percent(bytes, static_cast<double>(sample_json))});
  }
  report.table(rows);

  rows = {{"A PROJECTION KEEPS", "BYTES", "PER OBJECT", "SAVES"}};
  const auto add = [&](const std::string& name, double bytes) {
    rows.push_back({name, human_bytes(bytes), each(bytes), percent(full - bytes, full)});
  };
  add("everything", full);
  add("all but managedFields (the default)", usual);
  add("metadata", slim);
  if (chosen) {
    std::string name;
    for (const auto& field : flags.fields) name += (name.empty() ? "" : ",") + field;
    add(cell_text(name), projected_bytes(sample, scale, *chosen));
  }
  report.table(rows);
  out().write(report.text());
  if (step > 1) note("Fields and projections are measured on " + grouped(sample.size()) + " of the objects.");
  return 0;
}

}  // namespace

void add_top_cache(Command program) {
  auto flags = std::make_shared<Flags>();
  auto command =
      program.subcommand("top-cache", "What a cache of a resource would cost, and what would make it smaller");
  command.footer(
      "Examples:\n"
      "  kubexx top-cache pods -A                                        what takes the memory\n"
      "  kubexx top-cache pods -A --fields spec.nodeName,status.podIP    what keeping only these would save");
  command.option("RESOURCE", &flags->resource, "A resource, as in kubectl get").required();
  flags->selection.add_to(command, flags->connection);
  command.option("--fields", &flags->fields, "Fields of a projection to try, like spec.nodeName").delimiter(',');
  command.option("--top", &flags->top, "How many objects and fields to name").show_default();
  command.option("--depth", &flags->depth, "How deep fields are told apart").show_default().range(1, 10);
  flags->connection.add_to(command);
  command.on_run([flags] {
    if (const auto good = flags->selection.check(); !good) return misuse(good.error().message());
    return top_cache(*flags);
  });
}

}  // namespace kubexx::app
