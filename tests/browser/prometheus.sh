#!/usr/bin/env bash
# prometheus.sh PAGE_PROGRAM: Prometheus scrapes /metrics with the token, and promtool finds nothing to say about it.
set -euo pipefail
program=$1
for tool in prometheus promtool curl; do
  command -v $tool >/dev/null || { echo "$tool is not installed (./dev test-interop installs it)" >&2; exit 1; }
done
work=$(mktemp -d)
page= scraper=
cleanup() {
  [ -z "$scraper" ] || kill "$scraper" 2>/dev/null || true
  exec 8>&- || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

mkfifo "$work/commands" "$work/answers"
"$program" --moving <"$work/commands" >"$work/answers" &
page=$!
exec 8>"$work/commands" 7<"$work/answers"
read -r -t 60 url <&7 || { echo "the page program did not start" >&2; exit 1; }
address=${url%%/\?*} token=${url##*=}

curl -sf -H "authorization: Bearer $token" "$address/metrics" >"$work/metrics"
promtool check metrics <"$work/metrics"
grep -q '^kubexx_store_objects{informer="pods"} ' "$work/metrics"
echo "ok    promtool check metrics"
[ "$(curl -s -o /dev/null -w '%{http_code}' "$address/metrics")" = 401 ]
echo "ok    not without the token"

cat >"$work/prometheus.yml" <<YAML
global: {scrape_interval: 1s}
scrape_configs:
- job_name: kubexx
  authorization: {credentials: $token}
  static_configs: [{targets: ["${address#http://}"]}]
YAML
# A port that nothing listens on; prometheus cannot say which one it picked.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" --web.listen-address="127.0.0.1:$port" \
  2>"$work/prometheus.log" &
scraper=$!
for _ in $(seq 60); do
  answer=$(curl -s --max-time 5 "http://127.0.0.1:$port/api/v1/query?query=kubexx_store_objects" || true)
  grep -q '"informer":"pods"' <<<"$answer" && break
  read -r -t 1 _ <&7 || true
done
grep -q '"informer":"pods"' <<<"$answer" || { tail -n 5 "$work/prometheus.log" >&2; echo "FAIL  nothing was scraped" >&2; exit 1; }
echo "ok    prometheus scrapes the page"
