#!/usr/bin/env bash
# bitcoinjs-lib 7.0.5, bitcore-lib 11.5.1 and @scure/btc-signer 2.4.1, with the pay-to-anchor output (script 51024e73) that
# Bitcoin Core 28 relays and prints with the address bc1pfeessrawgf. It is an ordinary witness program of version 1 with 2
# bytes, so one expects a library with taproot and future segwit versions to convert it in both directions. In fact only
# @scure/btc-signer does. bitcoinjs-lib, which converts programs of version 2, has no address for it. bitcore-lib says
# that the checksum of the address is wrong, which it is not.
#
# Output seen:
#   @scure/btc-signer: bc1pfeessrawgf, 51024e73
#   bitcoinjs-lib: OP_1 4e73 has no matching Address; bc1pfeessrawgf has no matching Script
#   bitcore-lib: false; Checksum mismatch
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts bitcoinjs-lib@7.0.5 bitcore-lib@11.5.1 @scure/btc-signer@2.4.1 >/dev/null
cat > run.mjs <<'JS'
import { Address, OutScript } from '@scure/btc-signer';
import bitcore from 'bitcore-lib';
import { address } from 'bitcoinjs-lib';
const script = Buffer.from('51024e73', 'hex');
const anchor = 'bc1pfeessrawgf';
const tried = (run) => {
  try {
    return run();
  } catch (error) {
    return error.message;
  }
};
const back = Buffer.from(OutScript.encode(Address().decode(anchor))).toString('hex');
console.log(`@scure/btc-signer: ${Address().encode(OutScript.decode(script))}, ${back}`);
console.log(`bitcoinjs-lib: ${tried(() => address.fromOutputScript(script))}; ${tried(() => address.toOutputScript(anchor))}`);
console.log(`bitcore-lib: ${new bitcore.Script(script).toAddress('livenet')}; ${tried(() => bitcore.Script.fromAddress(anchor))}`);
JS
node run.mjs | tee seen
diff seen - <<'TXT'
@scure/btc-signer: bc1pfeessrawgf, 51024e73
bitcoinjs-lib: OP_1 4e73 has no matching Address; bc1pfeessrawgf has no matching Script
bitcore-lib: false; Checksum mismatch
TXT
