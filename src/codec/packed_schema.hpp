#pragma once

#include <string>

namespace kubexx::codec {

/// The text of the schema. In the program it is packed: a twentieth of it.
std::string unpack_schema();

}  // namespace kubexx::codec
