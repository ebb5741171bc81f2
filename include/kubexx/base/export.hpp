#pragma once

/// What shared libraries show: everything is compiled with hidden visibility, and one of these stands before a class or
/// function that is defined in a source file and used outside its library. An interface has it too: its type is then
/// one and the same on both sides. Options, templates and inline functions need none.

/// For what is promised (docs/public-api.md).
#define KUBEXX_EXPORT [[gnu::visibility("default")]]
/// For what is not promised, but inline code of public headers, the other library or our programs need it.
#define KUBEXX_EXPORT_INTERNAL [[gnu::visibility("default")]]
/// For a class inside an exported one that nobody else needs: it would be exported with it.
#define KUBEXX_HIDDEN [[gnu::visibility("hidden")]]
