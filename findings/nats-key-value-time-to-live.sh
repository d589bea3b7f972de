#!/usr/bin/env bash
# @nats-io/kv 3.3.1 with nats-server 2.9.10 (Debian: nats-server). `Kvm.create(name, {markerTTL})` makes a bucket whose
# entries may have a time to live, and `kv.create(key, value, '1s')` writes one. The server learned this in 2.11. One
# expects an older server or the client to refuse both. In fact both succeed without a word, and the entry stays for
# ever. A time to live of the whole bucket (`{ttl}`) works.
#
# Output seen:
#   markerTTL: create succeeded, the entry of 1 s is there after 4 s
#   ttl: create succeeded, the entry of 1 s is gone after 4 s
set -euo pipefail
command -v nats-server >/dev/null || { echo 'nats-server is not installed' >&2; exit 2; }
dir=$(mktemp -d); cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @nats-io/kv@3.3.1 @nats-io/jetstream@3.3.1 @nats-io/transport-node@3.3.1 >/dev/null
printf 'listen: "127.0.0.1:-1"\nports_file_dir: "%s"\njetstream { store_dir: "%s/js" }\n' "$dir" "$dir" > nats.conf
nats-server -c nats.conf > nats.log 2>&1 & server=$!
trap 'kill $server; wait $server 2>/dev/null || true; rm -rf "$dir"' EXIT
for _ in $(seq 100); do compgen -G "$dir/*.ports" >/dev/null && grep -q 'Server is ready' nats.log && break; sleep 0.1; done
cat > run.mjs <<'JS'
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
const [file] = fs.readdirSync('.').filter((name) => name.endsWith('.ports'));
const nc = await connect({ servers: JSON.parse(fs.readFileSync(file, 'utf8')).nats[0] });
const kvm = new Kvm(jetstream(nc));
for (const option of ['markerTTL', 'ttl']) {
  const kv = await kvm.create(option, { [option]: 1000 });
  const written = await kv.create('key', 'value', '1s').then(() => 'succeeded', (error) => error.message);
  await sleep(4000);
  console.log(`${option}: create ${written}, the entry of 1 s is ${(await kv.get('key')) === null ? 'gone' : 'there'} after 4 s`);
}
await nc.close();
JS
node run.mjs | tee seen
diff seen - <<'TXT'
markerTTL: create succeeded, the entry of 1 s is there after 4 s
ttl: create succeeded, the entry of 1 s is gone after 4 s
TXT
