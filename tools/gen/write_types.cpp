#include "kubexx/base/version.hpp"
#include "kubexx/meta/name.hpp"
#include "model.hpp"
#include "naming.hpp"

namespace kubexx::gen {
namespace {

/// Writes the classes of one group version, in two headers: to read needs no drafts, and is compiled in less time.
class Writer {
 public:
  explicit Writer(const PackageModel& package) : package_(package) {}

  std::string views() {
    std::set<std::string> includes = {"kubexx/api/support.hpp", "kubexx/base/version.hpp"};
    for (const auto& header : package_.includes) includes.insert(views_of(header));
    begin(includes, version_check());
    for (const auto& type : package_.types) {
      if (type.kind.empty()) {
        view(type.name, type);
      } else {
        if (type.nested) view(type.name + "View", type);
        object(type);
      }
    }
    return end();
  }

  std::string drafts(const std::string& views) {
    auto includes = package_.includes;
    includes.insert(views);
    begin(includes, "");
    for (const auto& type : package_.types) {
      if (type.kind.empty()) {
        draft(type.name + "Draft", type);
      } else {
        draft(type.name + (type.nested ? "ViewDraft" : "DraftFields"), type);
        object_draft(type);
      }
    }
    return end();
  }

 private:
  void begin(const std::set<std::string>& includes, const std::string& check) {
    out_ = kHead;
    for (const auto& include : includes) out_ += "#include \"" + include + "\"\n";
    if (!check.empty()) out_.append("\n").append(check);
    out_ += "\nnamespace " + package_.space + " {\n";
  }
  std::string end() {
    out_ += "\n}  // namespace " + package_.space + "\n";
    return std::move(out_);
  }
  static std::string views_of(const std::string& header) {  // "kubexx/api/meta/v1.hpp"
    return header.substr(0, header.rfind('.')) + "/views.hpp";
  }

  static std::string key(const FieldModel& field) {
    const auto id = meta::find_name(field.json);
    if (!id) return string_literal(field.json);
    return "::kubexx::meta::NameId{" + std::to_string(static_cast<unsigned>(*id)) + "}";
  }

  static std::string element(const FieldModel& field, bool draft) {
    switch (field.kind) {
      case FieldKind::Text:
        return "std::string_view";
      case FieldKind::Int32:
        return "std::int32_t";
      case FieldKind::Int64:
        return "std::int64_t";
      case FieldKind::Bool:
        return "bool";
      case FieldKind::Double:
        return "double";
      case FieldKind::IntOrString:
        return draft ? "::kubexx::api::IntOrStringDraft" : "::kubexx::api::IntOrString";
      case FieldKind::Any:
        return draft ? "::kubexx::meta::DraftRef" : "::kubexx::meta::Value";
      case FieldKind::View:
        break;
    }
    return draft ? field.view + "Draft" : field.view;
  }

  static std::string type(const FieldModel& field, bool draft) {
    const auto one = element(field, draft);
    const std::string list = draft ? "::kubexx::api::ListDraft<" : "::kubexx::api::List<";
    const std::string map = draft ? "::kubexx::api::MapDraft<" : "::kubexx::api::Map<";
    switch (field.shape) {
      case FieldShape::One:
        return one;
      case FieldShape::List:
        return list + one + ">";
      case FieldShape::Map:
        return map + one + ">";
      case FieldShape::ListOfLists:
        return list + list + one + ">>";
      case FieldShape::MapOfLists:
        return map + list + one + ">>";
    }
    return one;
  }

  static bool scalar(const FieldModel& field) {
    return field.shape == FieldShape::One && field.kind != FieldKind::View && field.kind != FieldKind::Any &&
           field.kind != FieldKind::IntOrString;
  }

  static std::string read(const FieldModel& field, const std::string& from, bool draft) {
    const auto place = from + "[" + key(field) + "]";
    if (field.shape == FieldShape::One) {
      switch (field.kind) {
        case FieldKind::Text:
          return place + ".string()";
        case FieldKind::Int32:
          return "static_cast<std::int32_t>(" + place + ".int_or(0))";
        case FieldKind::Int64:
          return place + ".int_or(0)";
        case FieldKind::Bool:
          return place + ".bool_or(false)";
        case FieldKind::Double:
          return draft ? place + ".get_double().value_or(0)" : place + ".double_or(0)";
        case FieldKind::Any:
          return place;
        default:
          break;
      }
    }
    return type(field, draft) + "(" + place + ")";
  }

  void constants(const TypeModel& type) {
    for (const auto& field : type.fields) {
      for (const auto& constant : field.constants) {
        out_ += "  static constexpr " + constant.type + " " + constant.name + " = " + constant.value + ";\n";
      }
    }
  }

  void accessors(const TypeModel& type, const std::string& from, const std::string& bound, bool object) {
    for (const auto& field : type.fields) {
      const bool borrows = field.kind == FieldKind::Text || !scalar(field);
      out_ += comment(field.description, "  ");
      out_ += "  " + Writer::type(field, false) + " " + field.name + "() const noexcept" + (borrows ? bound : "") +
              " { return " + read(field, from, false) + "; }\n";
      if (object && field.name == "metadata") continue;  // has_metadata() is an Object's own
      out_ += "  bool has_" + field.name + "() const noexcept { return " + from + "[" + key(field) + "].exists(); }\n";
    }
  }

  void view(const std::string& name, const TypeModel& type) {
    out_.append("\n").append(comment(type.description, ""));
    out_ += "class KUBEXX_POINTER " + name + " : public ::kubexx::api::View {\n public:\n";
    constants(type);
    out_ += "  using View::View;\n";
    accessors(type, "view_", "", false);
    out_ += "};\n";
  }

  void draft(const std::string& name, const TypeModel& type) {
    out_ += "\nclass " + name + " : public ::kubexx::api::DraftPlace {\n public:\n  using DraftPlace::DraftPlace;\n";
    for (const auto& field : type.fields) {
      const auto place = "place_[" + key(field) + "]";
      if (scalar(field)) {
        out_ += "  " + Writer::type(field, true) + " " + field.name + "() const { return " +
                read(field, "place_", true) + "; }\n";
      } else {
        for (const auto* constant : {"", "const "}) {
          out_ += "  " + (constant + Writer::type(field, true)) + " " + field.name + "() " + constant + "{ return " +
                  read(field, "place_", true) + "; }\n";
        }
      }
      out_ += "  bool has_" + field.name + "() const { return " + place + ".exists(); }\n";
      out_ += "  void clear_" + field.name + "() { " + place + ".erase(); }\n";
      if (scalar(field)) {
        const bool number = field.kind == FieldKind::Int32;
        out_ += "  void set_" + field.name + "(" + Writer::type(field, true) + " value) { " + place + ".set(" +
                (number ? "static_cast<std::int64_t>(value)" : "value") + "); }\n";
      } else if (field.shape == FieldShape::One && field.kind == FieldKind::IntOrString) {
        out_ += "  void set_" + field.name + "(std::int32_t value) { " + place +
                ".set(static_cast<std::int64_t>(value)); }\n";
        out_ += "  void set_" + field.name + "(std::string_view value) { " + place + ".set(value); }\n";
      } else if (field.shape == FieldShape::One && field.kind == FieldKind::View) {
        out_ +=
            "  void set_" + field.name + "(const " + field.view + "& value) { " + place + ".set(value.as_value()); }\n";
      } else {
        out_ += "  void set_" + field.name + "(::kubexx::meta::Value value) { " + place + ".set(value); }\n";
      }
    }
    out_ += "};\n";
  }

  void object(const TypeModel& type) {
    const std::string draft = type.name + "Draft";
    out_ += "\nclass " + draft + ";\n\n" + comment(type.description, "") + "class KUBEXX_OWNER " + type.name +
            " : public ::kubexx::meta::Object {\n public:\n";
    out_ += "  static constexpr std::string_view kApiVersion = " + string_literal(type.api_version) + ";\n";
    out_ += "  static constexpr std::string_view kKind = " + string_literal(type.kind) + ";\n";
    if (type.resource) {
      out_ += "  static constexpr ::kubexx::meta::ResourceInfo kResource{" + string_literal(package_.group) + ", " +
              string_literal(package_.version) + ", " + string_literal(type.kind) + ", " +
              string_literal(type.resource->resource) + ", " + string_literal(type.resource->singular) + ", " +
              (type.resource->namespaced ? "true" : "false") + ", " + (package_.protobuf ? "true" : "false") + "};\n";
    }
    constants(type);
    if (type.resource && type.resource->namespaced) {
      out_ += "  /// The name of in_namespace() in listers: lister." + type.resource->accessor +
              "(\"default\").\n  template <class Lister>\n  struct ListerNames {\n    auto " + type.resource->accessor +
              "(std::string space) const { return static_cast<const Lister&>(*this).in_namespace(std::move(space)); }\n"
              "  };\n";
    }
    out_ += "  using Draft = " + draft + ";\n";
    out_ += "  " + type.name + "() = default;\n";
    out_ += "  static " + type.name + " unchecked(::kubexx::meta::Object object) { return " + type.name +
            "(std::move(object)); }\n";
    // A Result<T> takes long to compile: a template is compiled only where it is called.
    out_ +=
        "  template <int = 0>\n  static ::kubexx::Result<" + type.name + "> from(::kubexx::meta::Object object) {\n";
    out_ += "    auto checked = ::kubexx::api::checked(std::move(object), kApiVersion, kKind);\n";
    out_ += "    if (!checked) return checked.error();\n    return " + type.name + "(std::move(*checked));\n  }\n";
    accessors(type, "(*this)", " KUBEXX_LIFETIMEBOUND", true);
    out_ += "  " + draft + " edit() const;\n\n private:\n  explicit " + type.name +
            "(::kubexx::meta::Object object) noexcept : Object(std::move(object)) {}\n};\n";
  }

  void object_draft(const TypeModel& type) {
    const std::string draft = type.name + "Draft";
    const std::string fields = type.name + (type.nested ? "ViewDraft" : "DraftFields");
    out_ += "\nclass " + draft + " : public ::kubexx::api::DraftHolder, public " + fields + " {\n public:\n  " + draft +
            "() : " + draft + "(begin(" + type.name + "::kApiVersion, " + type.name + "::kKind)) {}\n  explicit " +
            draft + "(::kubexx::meta::Draft draft) : DraftHolder(std::move(draft)), " + fields +
            "(draft_.root()) {}\n  " + type.name + " to_object() const { return " + type.name +
            "::unchecked(draft_.to_object()); }\n  " + draft + " clone() const { return " + draft +
            "(draft_.clone()); }\n};\n";
    out_ += "inline " + draft + " " + type.name + "::edit() const { return " + draft + "(Object::edit()); }\n";
  }

  const PackageModel& package_;
  std::string out_;
};

}  // namespace

std::string version_check() {
  const auto major = std::to_string(KUBEXX_VERSION_MAJOR);
  const auto minor = std::to_string(KUBEXX_VERSION_MINOR);
  std::string out = "static_assert(KUBEXX_VERSION_MAJOR == ";
  out.append(major).append(" && KUBEXX_VERSION_MINOR == ").append(minor);
  out.append(",\n              \"written by kubexx-gen ").append(major).append(".").append(minor);
  return out.append(", and the library is another version: run its kubexx-gen\");\n");
}

std::string views_header(const PackageModel& package) {
  return Writer(package).views();
}

std::string types_header(const PackageModel& package, const std::string& views) {
  return Writer(package).drafts(views);
}

}  // namespace kubexx::gen
