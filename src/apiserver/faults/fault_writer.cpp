#include "apiserver/faults/fault_writer.hpp"

#include <optional>

namespace kubexx::apiserver {
namespace {

class FaultWriter final : public ResponseWriter {
 public:
  FaultWriter(std::shared_ptr<ResponseWriter> inner, const Fault& fault)
      : inner_(std::move(inner)), truncate_after_(fault.truncate_after), corrupt_at_(fault.corrupt_at) {}

  void respond(int status, HeaderFields headers, std::string body) override {
    start(status, std::move(headers));
    write(std::make_shared<const std::string>(std::move(body)));
    finish();
  }
  void start(int status, HeaderFields headers) override { inner_->start(status, std::move(headers)); }
  void write(SharedBytes shared) override {
    if (cut_) return;
    std::string bytes = *shared;
    if (corrupt_at_ && *corrupt_at_ >= written_ && *corrupt_at_ < written_ + bytes.size())
      bytes[*corrupt_at_ - written_] ^= 0x15;
    if (truncate_after_ && written_ + bytes.size() >= *truncate_after_) {
      bytes.resize(*truncate_after_ - written_);
      cut_ = true;
    }
    written_ += bytes.size();
    inner_->write(std::make_shared<const std::string>(std::move(bytes)));
    if (cut_) inner_->abort();
  }
  void finish() override {
    if (!cut_) inner_->finish();
  }
  void abort() override { inner_->abort(); }
  std::size_t backlog() const override { return inner_->backlog(); }
  bool closed() const override { return inner_->closed(); }
  void on_close(std::function<void()> callback) override { inner_->on_close(std::move(callback)); }

 private:
  const std::shared_ptr<ResponseWriter> inner_;
  const std::optional<std::size_t> truncate_after_;
  const std::optional<std::size_t> corrupt_at_;
  std::size_t written_ = 0;
  bool cut_ = false;
};

}  // namespace

std::shared_ptr<ResponseWriter> fault_writer(std::shared_ptr<ResponseWriter> inner, const Fault& fault) {
  return std::make_shared<FaultWriter>(std::move(inner), fault);
}

}  // namespace kubexx::apiserver
