#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kubexx::app {

/// Text of strangers as a terminal may show it: control characters become ^X, what is no UTF-8 becomes '?'.
std::string printable(std::string_view text);
/// The same for messages: line breaks become spaces.
std::string one_line(std::string_view text);
/// The same for a cell of a table: what follows a line break is left out.
std::string cell_text(std::string_view text);

/// Columns on a terminal; `text` is printable and without styles.
std::size_t width_of(std::string_view text);
/// At most so many columns of it.
std::string_view cut_to(std::string_view text, std::size_t width);

}  // namespace kubexx::app
