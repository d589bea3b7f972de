#!/usr/bin/env bash
# @nats-io/jetstream 3.3.1 with nats-server 2.9 or later: an ordered consumer (`consumers.get(stream, {deliver_policy: all})`,
# the one that promises every message in order) whose stream is deleted and made again under the same name goes on from its old
# number. One expects it to end, or to begin with the first message of the new stream. In fact it stays silent for the
# messages whose numbers it has passed already, reports nothing, and delivers only later ones.
# Needs nats-server on the PATH (Debian: nats-server).
#
# Output seen:
#   first stream: 1 2 3
#   new stream has 5 messages, the consumer delivered: 4 5
#   a new consumer delivers: 1 2 3 4 5
set -euo pipefail
command -v nats-server >/dev/null || { echo 'nats-server is not installed' >&2; exit 2; }
dir=$(mktemp -d); cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @nats-io/jetstream@3.3.1 @nats-io/transport-node@3.3.1 >/dev/null
printf 'listen: "127.0.0.1:-1"\nports_file_dir: "%s"\njetstream { store_dir: "%s/js" }\n' "$dir" "$dir" > nats.conf
nats-server -c nats.conf > nats.log 2>&1 & server=$!
trap 'kill $server; wait $server 2>/dev/null || true; rm -rf "$dir"' EXIT
for _ in $(seq 100); do compgen -G "$dir/*.ports" >/dev/null && grep -q 'Server is ready' nats.log && break; sleep 0.1; done
cat > run.mjs <<'JS'
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
const [file] = fs.readdirSync('.').filter((name) => name.endsWith('.ports'));
const nc = await connect({ servers: JSON.parse(fs.readFileSync(file, 'utf8')).nats[0] });
const { streams } = await jetstreamManager(nc);
const js = jetstream(nc);
const make = () => streams.add({ name: 's', subjects: ['s.*'] });
const publish = async (from, to) => { for (let i = from; i <= to; i++) await js.publish('s.x', String(i)); };
const read = async (list) => (await js.consumers.get('s', { deliver_policy: DeliverPolicy.All })).consume({ callback: (m) => list.push(m.string()) });
const until = async (check) => { for (let i = 0; i < 900 && !check(); i++) await sleep(100); };
await make();
const seen = [];
const reader = await read(seen);
await publish(1, 3);
await until(() => seen.length === 3);
console.log(`first stream: ${seen.join(' ')}`);
seen.length = 0;
await streams.delete('s');
await make();
await publish(1, 5);
await until(() => seen.length >= 2);
await sleep(1000);
console.log(`new stream has ${(await streams.info('s')).state.messages} messages, the consumer delivered: ${seen.join(' ')}`);
const all = [];
const second = await read(all);
await until(() => all.length === 5);
console.log(`a new consumer delivers: ${all.join(' ')}`);
reader.stop(); second.stop();
await nc.close();
JS
node run.mjs | tee seen
diff seen - <<'TXT'
first stream: 1 2 3
new stream has 5 messages, the consumer delivered: 4 5
a new consumer delivers: 1 2 3 4 5
TXT
