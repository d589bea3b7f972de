#!/usr/bin/env bash
# bip21 3.0.0. BIP-0021 says that an amount is a decimal number without exponent, so that every wallet can read the URI.
# One expects `encode` to write 10 satoshi as 0.0000001. In fact it writes `amount=1e-7`: all amounts below 100 satoshi
# are written with an exponent. `decode` reads such amounts, and hexadecimal ones (`0x10`), so a round trip in the same
# library shows nothing.
#
# Output seen:
#   amount=0.000001, decoded: 0.000001
#   amount=9e-7, decoded: 9e-7
#   amount=1e-7, decoded: 1e-7
#   amount=0x10, decoded: 16
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts bip21@3.0.0 >/dev/null
cat > run.mjs <<'JS'
import { decode, encode } from 'bip21';
const address = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
for (const amount of [0.000001, 0.0000009, 0.0000001]) {
  const uri = encode(address, { amount });
  console.log(`${uri.split('?')[1]}, decoded: ${decode(uri).options.amount}`);
}
console.log(`amount=0x10, decoded: ${decode(`bitcoin:${address}?amount=0x10`).options.amount}`);
JS
node run.mjs | tee seen
diff seen - <<'TXT'
amount=0.000001, decoded: 0.000001
amount=9e-7, decoded: 9e-7
amount=1e-7, decoded: 1e-7
amount=0x10, decoded: 16
TXT
