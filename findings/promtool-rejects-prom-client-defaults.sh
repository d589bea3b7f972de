#!/usr/bin/env bash
# prom-client 15.1.3 and promtool 2.42 (Debian: prometheus), the checker of Prometheus. One expects the default metrics of
# the usual client of Node.js to pass `promtool check metrics`. In fact it fails with exit code 3: three default gauges have
# names that end in _total, which Prometheus reserves for counters.
#
# Output seen:
#   nodejs_active_handles_total non-counter metrics should not have "_total" suffix
#   nodejs_active_requests_total non-counter metrics should not have "_total" suffix
#   nodejs_active_resources_total non-counter metrics should not have "_total" suffix
#   exit code 3
set -euo pipefail
command -v promtool >/dev/null || { echo 'promtool is not installed' >&2; exit 2; }
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts prom-client@15.1.3 >/dev/null
cat > run.mjs <<'JS'
import client from 'prom-client';
const registry = new client.Registry();
client.collectDefaultMetrics({ register: registry });
process.stdout.write(await registry.metrics());
JS
node run.mjs > page; { code=0; promtool check metrics < page 2>&1 | sort || code=$?; echo "exit code $code"; } | tee seen
diff seen - <<'TXT'
nodejs_active_handles_total non-counter metrics should not have "_total" suffix
nodejs_active_requests_total non-counter metrics should not have "_total" suffix
nodejs_active_resources_total non-counter metrics should not have "_total" suffix
exit code 3
TXT
