// What an object says of itself, found on the structural characters before anything of it is read.
#include "meta/json/json_walker.hpp"

namespace kubexx::meta::detail {

Object JsonWalker::find_known(Cursor object, const StreamSink& knower) {
  ItemIdentity identity;
  next_backslash_ = 0;
  const bool whole = read_identity(object, identity);
  next_backslash_ = 0;
  return whole ? knower.find_known(identity) : Object();
}

/// False: it has none, or something is unusual; reading the object will say what.
bool JsonWalker::read_identity(Cursor object, ItemIdentity& out) {
  if (end_ - object < 5 || text_[*object] != '{') return false;
  for (Cursor next = object + 1; end_ - next >= 4;) {  // a key, its colon, a value and what follows it
    std::string_view key;
    if (!plain_string(*next, next + 1, key) || text_[next[1]] != ':') return false;
    next += 2;
    if (key == "metadata") return read_metadata(next, out);
    next = skip(next);
    if (next == nullptr || next == end_ || text_[*next] != ',') return false;
    ++next;
  }
  return false;
}

bool JsonWalker::read_metadata(Cursor metadata, ItemIdentity& out) {
  if (text_[*metadata] != '{') return false;
  for (Cursor next = metadata + 1; end_ - next >= 4;) {
    std::string_view key;
    if (!plain_string(*next, next + 1, key) || text_[next[1]] != ':') return false;
    next += 2;
    std::string_view* const wanted = key == "name"              ? &out.name
                                     : key == "namespace"       ? &out.namespace_
                                     : key == "uid"             ? &out.uid
                                     : key == "resourceVersion" ? &out.resource_version
                                                                : nullptr;
    if (wanted != nullptr && !plain_string(*next, next + 1, *wanted)) return false;
    next = skip(next);
    if (next == nullptr || next == end_) return false;
    if (text_[*next] == '}') return !out.name.empty() && !out.uid.empty() && !out.resource_version.empty();
    if (text_[*next] != ',') return false;
    ++next;
  }
  return false;
}

/// A string that stands in the text as it is.
bool JsonWalker::plain_string(std::uint32_t at, Cursor next, std::string_view& out) {
  Span span;
  if (text_[at] != '"' || !string(at, next, span) || span.begin != text_ + at + 1) return false;
  out = {span.begin, span.size};
  return true;
}

}  // namespace kubexx::meta::detail
