// A small assembler for scripts of tests: numbers and <hex> are pushed, {hex} is inserted as it is, words are opcodes
// without OP_.

import { minimalPush, pushNumber } from '../../src/consensus/script/build-script.js';
import { OP } from '../../src/consensus/script/opcodes.js';

/** Returns a script, for example `script('1 <abcd> DROP')`. */
export function script(words: string): Uint8Array {
  const parts = words
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      if (/^-?\d+$/.test(word)) return pushNumber(Number(word));
      if (word.startsWith('<')) return minimalPush(Buffer.from(word.slice(1, -1), 'hex'));
      if (word.startsWith('{')) return Buffer.from(word.slice(1, -1), 'hex');
      const opcode = OP[`OP_${word}` as keyof typeof OP];
      if (opcode === undefined) throw new Error(`no opcode ${word}`);
      return Uint8Array.of(opcode);
    });
  return Uint8Array.from(Buffer.concat(parts));
}
