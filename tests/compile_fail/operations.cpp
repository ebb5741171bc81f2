// case 1: nodiscard|unused-result
// case 2: discards qualifiers|is an lvalue
// case 3: deleted
#include "kubexx/base/async.hpp"
#include "kubexx/base/result.hpp"

using Operation = kubexx::Async<kubexx::Result<int>>;

Operation make();

void use() {
#if CASE == 1  // it does nothing unless it is begun
  make();
#endif
  auto operation = make();
#if CASE == 2  // beginning uses it up, and shows that
  operation.start([](kubexx::Result<int>) {});
#endif
#if CASE == 3
  auto copy = operation;
#endif
  std::move(operation).start([](kubexx::Result<int>) {});
}
