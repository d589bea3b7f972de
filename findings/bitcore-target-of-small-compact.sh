#!/usr/bin/env bash
# bitcore-lib 11.5.1, with the compact form of a target ("nBits": one byte of size, three bytes of number). If the size is
# 1 or 2, only the first one or two bytes of the number count: 0x02123456 is the target 0x1234 (arith_uint256::SetCompact
# in Bitcoin Core). bitcoinjs-lib 7.0.5 computes this. One expects the same of bitcore-lib. In fact it ignores the negative
# shift: 0x02123456 becomes 0x123456. Sizes of 3 and more are right.
#
# Output seen:
#   0x03123456: bitcore-lib 123456, bitcoinjs-lib 123456
#   0x02123456: bitcore-lib 123456, bitcoinjs-lib 1234
#   0x01123456: bitcore-lib 123456, bitcoinjs-lib 12
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts bitcore-lib@11.5.1 bitcoinjs-lib@7.0.5 >/dev/null
cat > run.mjs <<'JS'
import bitcore from 'bitcore-lib';
import { Block } from 'bitcoinjs-lib';
for (const bits of [0x03123456, 0x02123456, 0x01123456]) {
  const zeros = '00'.repeat(32);
  const header = new bitcore.BlockHeader({ version: 1, prevHash: zeros, merkleRoot: zeros, time: 0, bits, nonce: 0 });
  const other = BigInt(`0x${Buffer.from(Block.calculateTarget(bits)).toString('hex')}`);
  console.log(`0x${bits.toString(16).padStart(8, '0')}: bitcore-lib ${header.getTargetDifficulty().toString(16)}, bitcoinjs-lib ${other.toString(16)}`);
}
JS
node run.mjs | tee seen
diff seen - <<'TXT'
0x03123456: bitcore-lib 123456, bitcoinjs-lib 123456
0x02123456: bitcore-lib 123456, bitcoinjs-lib 1234
0x01123456: bitcore-lib 123456, bitcoinjs-lib 12
TXT
