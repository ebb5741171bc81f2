#include "transport/gunzip.hpp"

#include <algorithm>

namespace kubexx::transport {

Gunzip::Gunzip() : usable_(inflateInit2(&stream_, 15 + 16) == Z_OK) {}

Gunzip::~Gunzip() {
  if (usable_) inflateEnd(&stream_);
}

Result<std::string_view> Gunzip::step(std::string_view& input) {
  if (!usable_) return Error::decode("gzip: cannot start");
  while (!input.empty() || pending_) {
    if (member_ended_) {  // a gzip body may consist of several members
      if (inflateReset(&stream_) != Z_OK) return Error::decode("gzip: cannot start");
      member_ended_ = false;
    }
    started_ = true;
    const std::size_t offered = std::min<std::size_t>(input.size(), 1u << 30);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(offered);
    stream_.next_out = reinterpret_cast<Bytef*>(output_);
    stream_.avail_out = kPiece;
    int code = inflate(&stream_, Z_NO_FLUSH);
    input.remove_prefix(offered - stream_.avail_in);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return Error::decode("gzip: malformed body");
    member_ended_ = code == Z_STREAM_END;
    pending_ = !member_ended_ && stream_.avail_out == 0;
    if (stream_.avail_out < kPiece) return std::string_view(output_, kPiece - stream_.avail_out);
    if (code == Z_BUF_ERROR) break;
  }
  return std::string_view();
}

}  // namespace kubexx::transport
