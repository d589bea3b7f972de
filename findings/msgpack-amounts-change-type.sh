#!/usr/bin/env bash
# msgpackr 2.1.3 and @msgpack/msgpack 3.1.3, with amounts in satoshi. Both implement the same format, so one expects an
# integer to stay an integer in both directions. In fact msgpackr writes every integer above 2^32 - 1 (42.95 BTC) as a
# 64-bit float, while @msgpack/msgpack writes an integer. A reader in a typed language that expects an integer therefore
# fails for large amounts only. In the other direction msgpackr reads @msgpack/msgpack's integers above 2^32 - 1 as BigInt,
# so `amount + fee` throws for large amounts only.
#
# Output seen:
#   4294967295: msgpackr writes ceffffffff, @msgpack/msgpack writes ceffffffff
#     msgpackr reads the other's as number, @msgpack/msgpack as number
#   5000000000: msgpackr writes cb41f2a05f20000000, @msgpack/msgpack writes cf000000012a05f200
#     msgpackr reads the other's as bigint, @msgpack/msgpack as number
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts msgpackr@2.1.3 @msgpack/msgpack@3.1.3 >/dev/null
cat > run.mjs <<'JS'
import { decode, encode } from '@msgpack/msgpack';
import { pack, unpack } from 'msgpackr';
const hex = (bytes) => Buffer.from(bytes).toString('hex');
for (const amount of [4_294_967_295, 5_000_000_000]) {
  console.log(`${amount}: msgpackr writes ${hex(pack(amount))}, @msgpack/msgpack writes ${hex(encode(amount))}`);
  console.log(`  msgpackr reads the other's as ${typeof unpack(encode(amount))}, @msgpack/msgpack as ${typeof decode(pack(amount))}`);
}
JS
node run.mjs | tee seen
diff seen - <<'TXT'
4294967295: msgpackr writes ceffffffff, @msgpack/msgpack writes ceffffffff
  msgpackr reads the other's as number, @msgpack/msgpack as number
5000000000: msgpackr writes cb41f2a05f20000000, @msgpack/msgpack writes cf000000012a05f200
  msgpackr reads the other's as bigint, @msgpack/msgpack as number
TXT
