// Removing a signature from the script code it signs: part of legacy signature checks since the first release, and consensus.

import { OP } from './opcodes.js';
import { ScriptTokenizer } from './tokenizer.js';

/**
 * Removes every occurrence of `signature`, pushed the way a script builder pushes it, that begins at an opcode.
 * @returns the same array when nothing was found, so that identity tells
 */
export function deleteSignature(script: Uint8Array, signature: Uint8Array): Uint8Array {
  // The push is longer than the signature: the usual case, a short template, ends here.
  if (signature.length >= script.length) return script;
  const push = plainPush(signature);
  const size = push.length;
  let kept: Uint8Array | null = null;
  let length = 0;
  let from = 0;
  const token = new ScriptTokenizer(script);
  do {
    let pos = token.pos;
    const stop = pos;
    while (startsWith(script, pos, push)) pos += size;
    if (pos !== stop) {
      kept ??= new Uint8Array(script.length);
      kept.set(script.subarray(from, stop), length);
      length += stop - from;
      from = pos;
      token.pos = pos;
    }
  } while (token.next());
  if (kept === null) return script;
  kept.set(script.subarray(from), length);
  return kept.subarray(0, length + script.length - from);
}

function startsWith(script: Uint8Array, pos: number, push: Uint8Array): boolean {
  if (script.length - pos < push.length) return false;
  for (let i = 0; i < push.length; i++) if (script[pos + i] !== push[i]) return false;
  return true;
}

/** The data behind its size opcode; unlike a minimal push, one byte is never turned into OP_1 and the like. */
export function plainPush(data: Uint8Array): Uint8Array {
  const length = data.length;
  const head =
    length < OP.OP_PUSHDATA1
      ? [length]
      : length <= 0xff
        ? [OP.OP_PUSHDATA1, length]
        : length <= 0xffff
          ? [OP.OP_PUSHDATA2, length & 0xff, length >>> 8]
          : [OP.OP_PUSHDATA4, length & 0xff, (length >>> 8) & 0xff, (length >>> 16) & 0xff, length >>> 24];
  const push = new Uint8Array(head.length + length);
  push.set(head);
  push.set(data, head.length);
  return push;
}
