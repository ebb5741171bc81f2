# Optimized builds of the project itself stop early where memory is misused, and leave an attacker less to work with.
#   KUBEXX_HARDENING   on where the project is built alone; off in another project's build, which has flags of its own
# tools/hardening/check asks a program whether it has all of it.
option(KUBEXX_HARDENING "Hardening flags in optimized builds" ${PROJECT_IS_TOP_LEVEL})
if(NOT KUBEXX_HARDENING OR KUBEXX_SANITIZE)  # a sanitizer finds more, and does not go with _FORTIFY_SOURCE
  return()
endif()

set(optimized "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
# -U: some distributions' compilers define it themselves, to another value. The library takes 2 for 3 where the compiler has
# no more.
set(compile_flags -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS -fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|i[3-6]86)$")
  list(APPEND compile_flags -fcf-protection)
endif()
add_compile_options("$<${optimized}:${compile_flags}>")
# Position-independent programs; what goes into a shared library is that already.
add_compile_options("$<$<AND:${optimized},$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>>:-fPIE>")
add_link_options("$<$<AND:${optimized},$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>>:-pie>")
add_link_options("$<${optimized}:LINKER:-z,relro,-z,now>")
