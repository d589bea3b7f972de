#!/usr/bin/env bash
# bitcoinjs-lib 7.0.5 and bitcore-lib 11.5.1, with the text form of a script ("asm"). One expects fromASM(toASM(script)) to
# be the script, and both libraries to read the asm of Bitcoin Core. In fact:
# - bitcoinjs-lib prints the push of one byte 01 to 10 as if it were OP_1 to OP_16. The script that is read back is
#   shorter and has another hash, hence another address.
# - Core prints OP_10 as "10" and OP_16 as "16". bitcoinjs-lib reads these as hexadecimal bytes: "10" becomes OP_16, and
#   "16" becomes a push of the byte 22. For "2", which has one digit, it throws.
# - bitcore-lib prints OP_1NEGATE as "-1", as Core does, and reads "-1" as OP_0.
#
# Output seen:
#   bitcoinjs-lib: 0101 is OP_1, read back: 51
#   bitcoinjs-lib: 0110 is OP_16, read back: 60
#   bitcoinjs-lib: 4c0105 is OP_5, read back: 55
#   bitcoinjs-lib: 10 is read as 60
#   bitcoinjs-lib: 16 is read as 0116
#   bitcore-lib: 4f is -1, read back: 00
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts bitcoinjs-lib@7.0.5 bitcore-lib@11.5.1 >/dev/null
cat > run.mjs <<'JS'
import bitcore from 'bitcore-lib';
import { script } from 'bitcoinjs-lib';
const hex = (bytes) => Buffer.from(bytes).toString('hex');
for (const text of ['0101', '0110', '4c0105']) {
  const asm = script.toASM(Buffer.from(text, 'hex'));
  console.log(`bitcoinjs-lib: ${text} is ${asm}, read back: ${hex(script.fromASM(asm))}`);
}
for (const asm of ['10', '16']) console.log(`bitcoinjs-lib: ${asm} is read as ${hex(script.fromASM(asm))}`);
const minusOne = bitcore.Script.fromHex('4f').toASM();
console.log(`bitcore-lib: 4f is ${minusOne}, read back: ${bitcore.Script.fromASM(minusOne).toHex()}`);
JS
node run.mjs | tee seen
diff seen - <<'TXT'
bitcoinjs-lib: 0101 is OP_1, read back: 51
bitcoinjs-lib: 0110 is OP_16, read back: 60
bitcoinjs-lib: 4c0105 is OP_5, read back: 55
bitcoinjs-lib: 10 is read as 60
bitcoinjs-lib: 16 is read as 0116
bitcore-lib: 4f is -1, read back: 00
TXT
