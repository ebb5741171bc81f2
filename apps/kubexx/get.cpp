#include <algorithm>
#include <map>
#include <memory>

#include "command.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_builder.hpp"
#include "kubexx/meta/object_key.hpp"
#include "kubexx/meta/yaml.hpp"
#include "printer.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "targets.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

constexpr std::int64_t kPage = 500;  // as kubectl --chunk-size
constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

struct Flags {
  Connection connection;
  Selection selection;
  std::vector<std::string> words;
  std::string output;
  bool no_headers = false;
  bool show_labels = false;
  bool managed_fields = false;
};

/// The rows of one resource: what the server's Table says, sorted.
struct Rows {
  Printer::Cells headers;
  std::map<meta::ObjectKey, Printer::Cells> rows;
};

class Get {
 public:
  Get(const Flags& flags, rest::Client client)
      : flags_(flags), client_(std::move(client)), format_(to_format(flags.output)), progress_(client_) {}

  int run() {
    client::ResourceMapper mapper(client_);
    const auto targets = resolve_targets(mapper, flags_.words, true);
    if (!targets) return fail(targets.error());
    named_ = !targets->front().name.empty();
    if (named_ && flags_.selection.all_namespaces) return misuse("a name and --all-namespaces do not go together");
    if (named_ && !(flags_.selection.label_selector + flags_.selection.field_selector).empty()) {
      return misuse("a name and a selector do not go together");
    }
    return format_ == Format::Table || format_ == Format::Wide ? tables(*targets) : objects(*targets);
  }

 private:
  std::string namespace_of(const client::ApiResource& resource) const {
    return resource.namespaced ? flags_.selection.namespace_of(client_) : std::string();
  }

  int nothing_found(bool any_namespaced) const {
    if (named_) return kFailed;
    note(any_namespaced && !flags_.selection.all_namespaces
             ? "No resources found in " + flags_.selection.namespace_of(client_) + " namespace."
             : "No resources found");
    return 0;
  }

  int tables(const std::vector<Target>& targets) {
    std::vector<std::pair<client::ApiResource, Rows>> all;
    int code = 0;
    for (const auto& target : targets) {
      auto found = std::find_if(all.begin(), all.end(),
                                [&](const auto& one) { return one.first.resource == target.resource.resource; });
      if (found == all.end()) found = all.insert(all.end(), {target.resource, {}});
      const bool prefix = std::any_of(targets.begin(), targets.end(), [&](const auto& other) {
        return other.resource.resource != target.resource.resource;
      });
      if (auto done = read_table(target, prefix, found->second); !done) code = fail_and_go_on(done.error());
    }
    std::string text;
    bool any_namespaced = false;
    for (const auto& [resource, rows] : all) {
      any_namespaced = any_namespaced || resource.namespaced;
      if (rows.rows.empty()) continue;
      TableText table;
      if (!flags_.no_headers) table.widen(rows.headers);
      for (const auto& [key, cells] : rows.rows) table.widen(cells);
      if (!text.empty()) text += '\n';
      if (!flags_.no_headers) text += styled(table.line(rows.headers), kBold) + '\n';
      for (const auto& [key, cells] : rows.rows) text += table.line(cells) + '\n';
    }
    if (text.empty()) return code ? code : nothing_found(any_namespaced);
    out().write(text);
    return code;
  }

  /// Page after page in the server's Table form; a server that answers with plain objects gets our own columns.
  Result<void> read_table(const Target& target, bool prefix, Rows& into) {
    PrinterOptions options;
    options.wide = format_ == Format::Wide;
    options.namespaces = flags_.selection.all_namespaces && target.resource.namespaced;
    options.kind_prefix = prefix;
    options.show_labels = flags_.show_labels;
    const Rows before = into;
    std::string token;
    std::int64_t limit = kPage;
    meta::ListProgress pages;
    while (true) {
      rest::Request request;
      request.path = {target.resource.resource, namespace_of(target.resource), target.name, ""};
      request.accept = kTable;
      if (target.name.empty()) request.query = list_query(token, limit);
      const auto answer = client_.send(request, until_signal());
      if (!answer && answer.error().is_expired() && !token.empty() &&
          limit > 0) {  // the list took too long: all at once then
        into = before;
        token.clear();
        limit = 0;
        pages = meta::ListProgress();
        continue;
      }
      if (!answer) return answer.error();
      meta::DecodeOptions limits;
      limits.max_bytes = std::size_t{256} << 20;
      limits.projection = meta::Projection::without_managed_fields();
      const auto page = answer->object(limits);
      if (!page) return page.error();
      token = std::string((*page)["metadata"]["continue"].string());
      if (page->kind() == "Table") {
        take_table(*page, target.resource, options, into);
      } else if (auto taken = take_objects(*page, target, options, into); !taken) {
        return taken;
      }
      const auto rows = (*page)[page->kind() == "Table" ? "rows" : "items"].size();
      if (auto more = pages.page(rows, token); !more) return more;
      std::optional<std::uint64_t> total;
      if (const auto left = (*page)["metadata"]["remainingItemCount"].get_int()) total = into.rows.size() + *left;
      progress_.show(target.resource.resource.resource, into.rows.size(), total);
      if (token.empty()) return {};
    }
  }

  std::vector<std::pair<std::string, std::string>> list_query(const std::string& token, std::int64_t limit) const {
    std::vector<std::pair<std::string, std::string>> query;
    if (limit > 0) query.emplace_back("limit", std::to_string(limit));
    if (!token.empty()) query.emplace_back("continue", token);
    if (!flags_.selection.label_selector.empty()) query.emplace_back("labelSelector", flags_.selection.label_selector);
    if (!flags_.selection.field_selector.empty()) query.emplace_back("fieldSelector", flags_.selection.field_selector);
    return query;
  }

  void take_table(const meta::Object& table, const client::ApiResource& resource, const PrinterOptions& options,
                  Rows& into) const {
    const auto columns = table["columnDefinitions"];
    if (into.headers.empty()) {
      if (options.namespaces) into.headers.push_back("NAMESPACE");
      for (const auto column : columns.items()) {
        if (column["priority"].int_or(0) > 0 && !options.wide) continue;
        auto header = cell_text(column["name"].string());
        for (char& c : header) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        into.headers.push_back(header);
      }
      if (options.show_labels) into.headers.push_back("LABELS");
      wanted_.clear();
      for (const auto column : columns.items()) {
        wanted_.push_back({column["priority"].int_or(0) == 0 || options.wide, column["format"].string() == "name"});
      }
    }
    for (const auto row : table["rows"].items()) {
      const auto metadata = row["object"]["metadata"];
      Printer::Cells cells;
      if (options.namespaces) cells.push_back(cell_text(metadata["namespace"].string()));
      std::size_t i = 0;
      for (const auto cell : row["cells"].items()) {
        const auto [shown, is_name] = i < wanted_.size() ? wanted_[i] : Wanted{true, false};
        ++i;
        if (!shown) continue;
        auto text = cell.is_string() ? std::string(cell.string()) : cell.is_null() ? "" : meta::to_json(cell);
        if (is_name && options.kind_prefix) text = object_name(resource, text);
        cells.push_back(cell_text(text));
      }
      if (options.show_labels) cells.push_back(cell_text(labels(metadata["labels"])));
      into.rows[{std::string(metadata["namespace"].string()), std::string(metadata["name"].string())}] = cells;
    }
  }

  static std::string labels(meta::Value map) {
    std::string text;
    for (const auto& [key, value] : map.entries()) {
      text.append(text.empty() ? "" : ",").append(key).append("=").append(value.string());
    }
    return text.empty() ? "<none>" : text;
  }

  Result<void> take_objects(const meta::Object& list, const Target& target, const PrinterOptions& options,
                            Rows& into) const {
    const auto printer = Printer::make(client_, target.resource, options);
    into.headers = printer.headers();
    const auto take = [&](const meta::Object& object) {
      into.rows[meta::ObjectKey::of(object)] = printer.cells(object, Clock::system().wall());
    };
    if (!target.name.empty()) {
      if (list.name() != target.name) return Error::decode("the server sent another object than " + target.name);
      take(list);
      return {};
    }
    const auto items = list["items"];
    const bool none = items.is_null() || (!items.exists() && list.kind().ends_with("List"));
    if (!items.is_list() && !none) {
      return Error::decode("a list was expected, the server sent an object of kind \"" + std::string(list.kind()) +
                           "\"");
    }
    for (const auto item : items.items()) {
      if (!item.is_map()) return Error::decode("the list has an item that is no object");
      meta::ObjectBuilder copy;
      copy.copy(item);
      if (auto object = copy.finish()) take(*object);
    }
    return {};
  }

  int objects(const std::vector<Target>& targets) {
    std::vector<std::pair<const client::ApiResource*, meta::Object>> all;
    int code = 0;
    for (const auto& target : targets) {
      auto found = read_objects(target);
      if (!found) {
        code = fail_and_go_on(found.error());
        continue;
      }
      std::sort(found->begin(), found->end(),
                [](const auto& a, const auto& b) { return meta::ObjectKey::of(a) < meta::ObjectKey::of(b); });
      for (auto& object : *found) all.emplace_back(&target.resource, std::move(object));
    }
    if (code && all.empty()) return code;
    if (format_ == Format::Name || format_ == Format::JsonLines) {
      for (const auto& [resource, object] : all) {
        if (!out().write(object_text(format_, *resource, object, true))) break;
      }
      return code;
    }
    if (named_ && targets.size() == 1) {
      out().write(object_text(format_, *all[0].first, all[0].second, true));
      return code;
    }
    meta::ObjectBuilder list;
    list.begin_map();
    list.key("apiVersion");
    list.string("v1");
    list.key("items");
    list.begin_list();
    for (const auto& [resource, object] : all) list.copy(object.root());
    list.end_list();
    list.key("kind");
    list.string("List");
    list.key("metadata");
    list.begin_map();
    list.key("resourceVersion");
    list.string("");
    list.end_map();
    list.end_map();
    const auto whole = list.finish();
    if (!whole) return fail(whole.error());
    out().write(object_text(format_, targets[0].resource, *whole, true));
    return code;
  }

  Result<std::vector<meta::Object>> read_objects(const Target& target) {
    const client::ResourceApi api(client_, target.resource.resource, namespace_of(target.resource));
    if (!target.name.empty()) {
      client::GetOptions once;
      once.stop = stop_on_signals();
      auto object = api.get(target.name, once);
      if (!object) return object.error();
      return std::vector{flags_.managed_fields ? *object : without_managed_fields(*object)};
    }
    client::ListOptions query;
    query.label_selector = flags_.selection.label_selector;
    query.field_selector = flags_.selection.field_selector;
    query.limit = kPage;
    query.stop = stop_on_signals();
    query.projection = flags_.managed_fields ? meta::Projection::full() : meta::Projection::without_managed_fields();
    std::vector<meta::Object> all;
    meta::ListProgress pages;
    while (true) {
      auto page = api.list(query);
      if (!page && page.error().is_expired() && !query.continue_token.empty() && query.limit > 0) {  // as above
        all.clear();
        query.continue_token.clear();
        query.limit = 0;
        pages = meta::ListProgress();
        continue;
      }
      if (!page) return page.error();
      if (auto more = pages.page(page->items.size(), page->meta.continue_token); !more) return more.error();
      all.insert(all.end(), page->items.begin(), page->items.end());
      query.continue_token = page->meta.continue_token;
      std::optional<std::uint64_t> total;
      if (page->meta.remaining_item_count) total = all.size() + *page->meta.remaining_item_count;
      progress_.show(target.resource.resource.resource, all.size(), total);
      if (query.continue_token.empty()) return all;
    }
  }

  static meta::Object without_managed_fields(const meta::Object& object) {
    meta::DecodeOptions options;
    options.projection = meta::Projection::without_managed_fields();
    return meta::parse_json(meta::to_json(object), options).value_or(object);
  }

  struct Wanted {
    bool shown = true;
    bool is_name = false;
  };
  const Flags& flags_;
  rest::Client client_;
  Format format_;
  bool named_ = false;
  mutable std::vector<Wanted> wanted_;
  ProgressLine progress_;
};

}  // namespace

void add_get(Command program) {
  auto flags = std::make_shared<Flags>();
  auto command = program.subcommand("get", "Print resources once, sorted");
  command.footer(
      "Examples:\n"
      "  kubexx get pods                       the pods of the context's namespace\n"
      "  kubexx get pods,services -A -o wide   of all namespaces, with more columns\n"
      "  kubexx get deploy web -o yaml         one object\n"
      "  kubexx get pod/web-1 node/n1          objects of several kinds\n"
      "  kubexx get foos -A -o jsonl | jq .    one line an object");
  command.option("RESOURCE", &flags->words, "A resource with names, resources, or KIND/NAME").required();
  flags->selection.add_to(command, flags->connection);
  add_output(command, flags->output, {"wide", "json", "yaml", "jsonl", "name"});
  command.flag("--no-headers", &flags->no_headers, "Leave out the headers of tables");
  command.flag("--show-labels", &flags->show_labels, "Add a column with the labels");
  command.flag("--show-managed-fields", &flags->managed_fields, "Keep managedFields in json and yaml");
  flags->connection.add_to(command);
  command.on_run([flags] {
    if (const auto good = flags->selection.check(); !good) return misuse(good.error().message());
    auto client = flags->connection.connect();
    if (!client) return fail(client.error());
    return Get(*flags, std::move(*client)).run();
  });
}

}  // namespace kubexx::app
