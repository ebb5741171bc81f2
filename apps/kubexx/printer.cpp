#include "printer.hpp"

#include <cctype>
#include <memory>

#include "custom_columns.hpp"
#include "kubexx/codec/resources.hpp"
#include "kubexx/columns/columns.hpp"
#include "output.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

using meta::Object;

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::string labels_text(const Object& object) {
  std::string out;
  for (const auto& [key, value] : object.labels()) {
    out.append(out.empty() ? "" : ",").append(key).append("=").append(value.string());
  }
  return out.empty() ? "<none>" : out;
}

}  // namespace

void Printer::add_column(const std::string& header, bool shown) {
  shown_.push_back(shown);
  if (shown) headers_.push_back(cell_text(upper(header)));
}

Printer Printer::make(const rest::Client& client, const client::ApiResource& resource, const PrinterOptions& options) {
  Printer printer;
  printer.resource_ = resource;
  printer.options_ = options;
  if (options.namespaces) printer.headers_.push_back("NAMESPACE");
  const auto& gvr = resource.resource;
  const auto* builtin = columns::find_columns(gvr.group, gvr.resource);
  if (builtin && !options.metadata_only) {
    for (std::size_t i = 0; i < builtin->columns.size(); ++i) {
      const auto& column = builtin->columns[i];
      if (column.format == "name") printer.name_ = i;
      printer.add_column(column.name, column.priority == 0 || options.wide);
    }
    printer.row_ = [row = builtin->row](const Object& object, WallTime now) {
      Cells cells;
      for (const columns::Cell& cell : row(object, now)) {
        if (const auto* text = std::get_if<std::string>(&cell)) cells.push_back(*text);
        if (const auto* number = std::get_if<std::int64_t>(&cell)) cells.push_back(std::to_string(*number));
        if (const auto* flag = std::get_if<bool>(&cell)) cells.push_back(*flag ? "true" : "false");
      }
      return cells;
    };
  } else {
    std::vector<CustomColumn> columns;
    if (!options.metadata_only && codec::find_builtin(gvr)) {
      columns.push_back({"Created At", "string", ".metadata.creationTimestamp", false});  // as a server's Table has it
    } else if (!options.metadata_only) {
      columns = custom_columns(client, resource);
    }
    if (columns.empty()) columns.push_back({"Age", "date", ".metadata.creationTimestamp", false});
    printer.add_column("Name", true);
    for (const auto& column : columns) printer.add_column(column.name, !column.wide || options.wide);
    printer.row_ = [columns](const Object& object, WallTime now) {
      Cells cells{std::string(object.name())};
      for (const auto& column : columns) cells.push_back(custom_cell(column, object, now));
      return cells;
    };
  }
  if (options.show_labels) printer.headers_.push_back("LABELS");
  return printer;
}

Printer::Cells Printer::cells(const Object& object, WallTime now) const {
  Cells shown;
  shown.reserve(headers_.size());
  if (options_.namespaces) shown.push_back(cell_text(object.namespace_()));
  auto all = row_(object, now);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!shown_[i]) continue;
    if (i == name_ && options_.kind_prefix) all[i] = object_name(resource_, all[i]);
    shown.push_back(cell_text(all[i]));
  }
  if (options_.show_labels) shown.push_back(cell_text(labels_text(object)));
  return shown;
}

}  // namespace kubexx::app
