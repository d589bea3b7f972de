#!/usr/bin/env bash
# prom-client 15.1.3. A gauge whose figure is not known yet should have no sample, so that alerts on it do not fire. A new
# gauge without labels shows 0. One expects `reset()` to leave it without samples, as it does for a gauge with labels. In fact
# reset() puts a 0 there. `remove()` leaves none.
#
# Output seen:
#   without_labels_reset 0
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts prom-client@15.1.3 >/dev/null
cat > run.mjs <<'JS'
import client from 'prom-client';
const registry = new client.Registry();
const gauge = (name, options, prepare) => {
  const made = new client.Gauge({ name, help: 'h', registers: [registry], ...options });
  prepare(made);
};
gauge('without_labels_reset', {}, (made) => made.reset());
gauge('without_labels_removed', {}, (made) => made.remove());
gauge('with_labels_reset', { labelNames: ['a'] }, (made) => made.reset());
const samples = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
console.log(samples.join('\n'));
JS
node run.mjs | tee seen
diff seen - <<'TXT'
without_labels_reset 0
TXT
