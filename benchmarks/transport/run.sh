#!/usr/bin/env bash
# run.sh TRANSPORT_PULL: a 190 MB body over HTTP/2 and TLS from nginx on loopback, ours beside h2load in the same run.
# Fails below 0.85 of h2load's throughput or above 32 MB of peak memory. Both take the best of several turns.
set -euo pipefail
pull=$(readlink -f "${1:?path of transport_pull}")
turns=${TURNS:-5}
export PATH=$PATH:/usr/sbin
for program in nginx h2load openssl; do
  command -v $program >/dev/null || { echo "SKIPPED transport benchmark: $program is missing (nginx-light, nghttp2-client)"; exit 0; }
done
dir=$(mktemp -d)
cleanup() {
  [ ! -f "$dir/pid" ] || kill "$(cat "$dir/pid")" 2>/dev/null || true
  rm -rf "$dir"
}
trap cleanup EXIT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=127.0.0.1 \
  -addext subjectAltName=IP:127.0.0.1 -keyout "$dir/key.pem" -out "$dir/cert.pem" 2>/dev/null
mkdir "$dir/www"
head -c 190000000 /dev/urandom >"$dir/www/body"
cat >"$dir/nginx.conf" <<CONF
pid $dir/pid;
error_log $dir/error.log;
worker_processes 1;
events {}
http {
  access_log off;
  client_body_temp_path $dir; proxy_temp_path $dir; fastcgi_temp_path $dir; uwsgi_temp_path $dir; scgi_temp_path $dir;
  server {
    listen 127.0.0.1:$port ssl http2;
    ssl_certificate $dir/cert.pem;
    ssl_certificate_key $dir/key.pem;
    root $dir/www;
    http2_chunk_size 16k;
  }
}
CONF
chmod 755 "$dir"
nginx -p "$dir" -e "$dir/error.log" -c "$dir/nginx.conf"
url=https://127.0.0.1:$port/body

theirs=0 ours=0 peak=0
for _ in $(seq "$turns"); do
  seconds=$(h2load -n 1 -c 1 "$url" | sed -n 's/^finished in \([0-9.]*\)\(ms\|s\),.*/\1 \2/p' |
    awk '{print $2 == "ms" ? $1 / 1000 : $1}')
  theirs=$(awk -v best="$theirs" -v s="$seconds" 'BEGIN {v = 190 / s; print (v > best ? v : best)}')
  read -r speed memory <<<"$("$pull" "$url" "$dir/cert.pem" 1)"
  ours=$(awk -v best="$ours" -v v="$speed" 'BEGIN {print (v > best ? v : best)}')
  peak=$(awk -v best="$peak" -v v="$memory" 'BEGIN {print (v > best ? v : best)}')
done
awk -v ours="$ours" -v theirs="$theirs" -v peak="$peak" 'BEGIN {
  printf "%-10s %8s %10s\n%-10s %8.0f %10s\n%-10s %8.0f %10.1f\n", "client", "MB/s", "peak MB", "h2load", theirs, "-", "kubexx", ours, peak
  printf "ratio %.2f (at least 0.85), peak %.1f MB (below 32)\n", ours / theirs, peak
  exit !(ours / theirs >= 0.85 && peak < 32)
}'
