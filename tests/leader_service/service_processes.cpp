#include "leader_service/service_processes.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "paths.hpp"

namespace kubexx::leader_service {

ServiceProcess::ServiceProcess(std::vector<std::string> arguments, const std::string& kubeconfig) {
  arguments.insert(arguments.begin(), KUBEXX_BINARY_DIR "/bin/leader_service");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::string variable = "KUBECONFIG=" + kubeconfig;
  char* environment[] = {variable.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {  // faults are the point; what is written is the evidence
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  }
  const int failed = posix_spawn(&id_, argv[0], &actions, nullptr, argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + arguments[0]);
}

ServiceProcess::ServiceProcess(ServiceProcess&& other) noexcept : id_(std::exchange(other.id_, -1)) {}

ServiceProcess::~ServiceProcess() {
  end(SIGKILL);
}

void ServiceProcess::signal(int number) const {
  if (id_ > 0) ::kill(id_, number);  // -1 would be everybody
}

int ServiceProcess::end(int number) {
  if (id_ <= 0) return -1;
  signal(number);
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

ServiceProcesses::ServiceProcesses(const apiserver::Server& server, int lease)
    : lease_(std::to_string(lease)),
      folder_((std::filesystem::temp_directory_path() / "kubexx-leader-service-XXXXXX").string()) {
  if (!mkdtemp(folder_.data())) throw std::runtime_error("no folder");
  for (const auto* name : {"a", "b", "c"}) {
    ways_[name] = std::make_unique<testkit::FaultProxy>("127.0.0.1", server.port());
    start(name);
  }
  processes_.emplace("client", ServiceProcess({"follow"}, kubeconfig("client", server.port())));
}

ServiceProcesses::~ServiceProcesses() {
  processes_.clear();
  std::filesystem::remove_all(folder_);
}

void ServiceProcesses::start(const std::string& name) {
  processes_.emplace(name, ServiceProcess({"serve", name, "--lease", lease_}, kubeconfig(name, way(name).port())));
}

std::string ServiceProcesses::kubeconfig(const std::string& name, std::uint16_t port) const {
  const auto path = folder_ + "/" + name;
  std::ofstream(path) << "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
                         "contexts: [{name: a, context: {cluster: a, user: a}}]\n"
                         "users: [{name: a, user: {}}]\n"
                         "clusters: [{name: a, cluster: {server: \"http://127.0.0.1:"
                      << port << "\"}}]\n";
  return path;
}

}  // namespace kubexx::leader_service
