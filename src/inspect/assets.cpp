#include "inspect/assets.hpp"

#include <algorithm>
#include <array>

// The assembler copies each file into the object; src/inspect/deps.cmake gives their directory.
#define KUBEXX_ASSET(symbol, file)                                                                  \
  __asm__(                                                                                          \
      ".section .rodata\n"                                                                          \
      ".global kubexx_asset_" #symbol                                                               \
      "_begin\n"                                                                                    \
      ".global kubexx_asset_" #symbol                                                               \
      "_end\n"                                                                                      \
      "kubexx_asset_" #symbol                                                                       \
      "_begin:\n"                                                                                   \
      ".incbin \"" KUBEXX_ASSET_DIR "/" file                                                        \
      "\"\n"                                                                                        \
      "kubexx_asset_" #symbol                                                                       \
      "_end:\n"                                                                                     \
      ".byte 0\n"                                                                                   \
      ".text\n");                                                                                   \
  extern "C" {                                                                                      \
  extern const char kubexx_asset_##symbol##_begin[];                                                \
  extern const char kubexx_asset_##symbol##_end[];                                                  \
  }                                                                                                 \
  namespace kubexx::inspect {                                                                       \
  namespace {                                                                                       \
  std::string_view symbol##_text() {                                                                \
    return {kubexx_asset_##symbol##_begin,                                                          \
            static_cast<std::size_t>(kubexx_asset_##symbol##_end - kubexx_asset_##symbol##_begin)}; \
  }                                                                                                 \
  }                                                                                                 \
  }

KUBEXX_ASSET(index, "index.html")
KUBEXX_ASSET(style, "style.css")
KUBEXX_ASSET(icon, "icon.svg")
KUBEXX_ASSET(app, "app.js")
KUBEXX_ASSET(dom, "dom.js")
KUBEXX_ASSET(graph, "graph.js")
KUBEXX_ASSET(live, "live.js")
KUBEXX_ASSET(overview, "overview.js")
KUBEXX_ASSET(route, "route.js")
KUBEXX_ASSET(table, "table.js")
KUBEXX_ASSET(object, "object.js")

namespace kubexx::inspect {

const Asset* find_asset(std::string_view path) noexcept {
  static constexpr std::string_view kScript = "text/javascript; charset=utf-8";
  static const std::array kAssets{
      Asset{"/", "text/html; charset=utf-8", index_text()},
      Asset{"/style.css", "text/css; charset=utf-8", style_text()},
      Asset{"/icon.svg", "image/svg+xml", icon_text()},
      Asset{"/app.js", kScript, app_text()},
      Asset{"/dom.js", kScript, dom_text()},
      Asset{"/graph.js", kScript, graph_text()},
      Asset{"/live.js", kScript, live_text()},
      Asset{"/overview.js", kScript, overview_text()},
      Asset{"/route.js", kScript, route_text()},
      Asset{"/table.js", kScript, table_text()},
      Asset{"/object.js", kScript, object_text()},
  };
  const auto found = std::ranges::find(kAssets, path, &Asset::path);
  return found == kAssets.end() ? nullptr : &*found;
}

}  // namespace kubexx::inspect
