// sync_pods COUNT: pods of about 9 KB, one JSON document a line, as `kubexx apiserver --objects` takes them.
#include <cstdio>
#include <cstdlib>

#include "corpus/pod_corpus.hpp"

namespace {

/// The server collects objects whose owners it does not have.
std::string without_owners(std::string pod) {
  const auto begin = pod.find(R"("ownerReferences":[)");
  if (begin != std::string::npos) pod.erase(begin, pod.find("],", begin) + 2 - begin);
  return pod;
}

}  // namespace

int main(int argc, char** argv) {
  kubexx::bench::PodCorpus corpus = kubexx::bench::PodCorpus::small_sets(true);
  corpus.pods = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : corpus.pods;
  for (std::size_t i = 0; i < corpus.pods; ++i) {
    // An item of a list has no apiVersion and kind; a document of its own has.
    const std::string pod = R"({"apiVersion":"v1","kind":"Pod",)" + without_owners(corpus.pod(i)).substr(1) + '\n';
    std::fwrite(pod.data(), 1, pod.size(), stdout);
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
