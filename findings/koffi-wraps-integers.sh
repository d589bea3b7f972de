#!/usr/bin/env bash
# koffi 3.3.4. A call checks the kinds of its arguments: a string for an `int` throws. One expects an integer that the C
# type cannot hold to throw too. In fact it is wrapped without a word: 2^32 - 7 for an `int` is -7, and 97 + 256 for a
# `uint8_t` is 97. A fraction loses its decimals. A height or an amount that grew beyond its C type arrives as another one.
#
# Output seen:
#   abs(2^32 - 7) = 7
#   toupper(97 + 256) = 65, 'A' is 65
#   abs(-1.9) = 1
#   abs('1'): TypeError
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts koffi@3.3.4 >/dev/null
cat > run.mjs <<'JS'
import koffi from 'koffi';
const c = koffi.load(null);
const abs = c.func('int abs(int)');
const toUpper = c.func('int toupper(uint8_t)');
console.log(`abs(2^32 - 7) = ${abs(2 ** 32 - 7)}`);
console.log(`toupper(97 + 256) = ${toUpper(97 + 256)}, 'A' is 65`);
console.log(`abs(-1.9) = ${abs(-1.9)}`);
try {
  abs('1');
} catch (error) {
  console.log(`abs('1'): ${error.name}`);
}
JS
node run.mjs | tee seen
diff seen - <<'TXT'
abs(2^32 - 7) = 7
toupper(97 + 256) = 65, 'A' is 65
abs(-1.9) = 1
abs('1'): TypeError
TXT
