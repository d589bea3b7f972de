#!/usr/bin/env bash
# bitcoinjs-lib 7.0.5 with tiny-secp256k1 2.2.4, and @scure/btc-signer 2.4.1, with witness programs of version 1 and 32 bytes
# that are no x coordinate of a point of the curve: half of all strings of 32 bytes. Nobody can spend such an output, but
# BIP-0341 does not forbid it, BIP-0350 gives it an address, and Core shows and accepts that address. One expects that
# libraries do so too, for example to show a payment in a block. In fact both refuse the script of such an output, and
# bitcoinjs-lib also refuses its address.
#
# Output seen:
#   on the curve: bc1pdc6qh88lkdaf3899gnntk7q293ufq8flkvmnsa59zx3sv9a05qwssgz3dk, bc1pdc6qh88lkdaf3899gnntk7q293ufq8flkvmnsa59zx3sv9a05qwssgz3dk, read as 51206e340b9c...
#   not: OP_1 4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a has no matching Address, Unknown address type=unknown, read as Invalid pubkey for p2tr
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts bitcoinjs-lib@7.0.5 tiny-secp256k1@2.2.4 @scure/btc-signer@2.4.1 bech32@2.0.0 >/dev/null
cat > run.mjs <<'JS'
import { createHash } from 'node:crypto';
import { Address, OutScript } from '@scure/btc-signer';
import { bech32m } from 'bech32';
import { address, initEccLib } from 'bitcoinjs-lib';
import * as ecc from 'tiny-secp256k1';
initEccLib(ecc);
const attempt = (run) => {
  try {
    return run();
  } catch (error) {
    return error.message;
  }
};
for (const byte of [0, 1]) {
  const program = createHash('sha256').update(Buffer.of(byte)).digest();
  const script = Buffer.concat([Buffer.of(0x51, 32), program]);
  const text = bech32m.encode('bc', [1, ...bech32m.toWords(program)]);
  const shown = [() => address.fromOutputScript(script), () => Address().encode(OutScript.decode(script))].map(attempt);
  const read = attempt(() => `${Buffer.from(address.toOutputScript(text)).toString('hex').slice(0, 12)}...`);
  console.log(`${ecc.isXOnlyPoint(program) ? 'on the curve' : 'not'}: ${shown.join(', ')}, read as ${read}`);
}
JS
node run.mjs | tee seen
diff seen - <<'TXT'
on the curve: bc1pdc6qh88lkdaf3899gnntk7q293ufq8flkvmnsa59zx3sv9a05qwssgz3dk, bc1pdc6qh88lkdaf3899gnntk7q293ufq8flkvmnsa59zx3sv9a05qwssgz3dk, read as 51206e340b9c...
not: OP_1 4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a has no matching Address, Unknown address type=unknown, read as Invalid pubkey for p2tr
TXT
