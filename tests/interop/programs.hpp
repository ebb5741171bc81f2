#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "kubexx/base/clock.hpp"

namespace kubexx::interop {

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexx-interop-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    std::filesystem::permissions(path_, std::filesystem::perms::all);  // servers that drop their rights write here
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ + "/" + name);
    std::stringstream out;
    out << file.rdbuf();
    return out.str();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A port of loopback that nobody listens on now; servers that cannot choose one themselves get it.
inline int free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

inline bool answers(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool connected = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return connected;
}

inline std::string find_program(const std::string& name) {
  for (const auto* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/bin/"}) {
    if (access((folder + name).c_str(), X_OK) == 0) return folder + name;
  }
  return {};
}

/// A program and what it starts, ended with this object.
class Program {
 public:
  Program(const std::vector<std::string>& words, const std::string& log) {
    child_ = fork();
    if (child_ != 0) return;
    setpgid(0, 0);
    const int out = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    std::vector<char*> argv;
    for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~Program() {
    kill(-child_, SIGKILL);
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Whether it listens within half a minute.
  bool comes_up(int port) const {
    for (const auto ceiling = Clock::system().now() + std::chrono::seconds(30); Clock::system().now() < ceiling;
         std::this_thread::yield()) {
      if (answers(port)) return true;
      if (waitpid(child_, nullptr, WNOHANG) == child_) return false;
    }
    return false;
  }

 private:
  pid_t child_;
};

/// Runs a program to its end; its exit code.
inline int run(const std::vector<std::string>& words) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> argv;
    for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace kubexx::interop
