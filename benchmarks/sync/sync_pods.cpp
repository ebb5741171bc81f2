// sync_pods COUNT: pods of about 9 KB, one JSON document a line, as `kubexx apiserver --objects` takes them.
#include <cstdio>
#include <cstdlib>

#include "corpus/pod_corpus.hpp"

int main(int argc, char** argv) {
  kubexx::bench::PodCorpus corpus = kubexx::bench::PodCorpus::small_sets(true);
  corpus.pods = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : corpus.pods;
  for (std::size_t i = 0; i < corpus.pods; ++i) {
    // An item of a list has no apiVersion and kind; a document of its own has.
    const std::string pod = R"({"apiVersion":"v1","kind":"Pod",)" + corpus.pod(i).substr(1) + '\n';
    std::fwrite(pod.data(), 1, pod.size(), stdout);
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
