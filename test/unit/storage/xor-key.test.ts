// Compares the XOR of whole words with the rule for each byte.

import { deepStrictEqual } from 'node:assert';
import t from 'tap';
import { applyXor } from '../../../src/storage/xor-key.js';

t.test('applies the byte of the key that follows from the offset in the file', async (t) => {
  const key = Uint8Array.of(1, 20, 3, 200, 5, 0, 7, 255);
  for (let begin = 0; begin < 8; begin++) {
    for (let length = 0; length < 40; length++) {
      for (const offset of [0, 1, 4, 7, 8, 0x1_0000_0005]) {
        const memory = Uint8Array.from({ length: 60 }, (_, i) => i * 11);
        const wanted = memory.map((byte, i) => (i < begin || i >= begin + length ? byte : byte ^ key[(offset + i - begin) % 8]));
        applyXor(memory.subarray(begin, begin + length), offset, key);
        deepStrictEqual(memory, wanted);
      }
    }
  }
  t.pass();
});
