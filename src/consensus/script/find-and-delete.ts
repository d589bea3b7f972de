// Removes a signature from the script code that it signs: part of legacy signature checks since the first release, and
// consensus.

import { plainPush } from './build-script.js';
import { ScriptTokenizer } from './tokenizer.js';

/**
 * Removes every occurrence of `signature` that begins at an opcode and is pushed as a script builder pushes it.
 * @returns the same array when nothing was found, so that identity tells
 */
export function deleteSignature(script: Uint8Array, signature: Uint8Array): Uint8Array {
  // The push is longer than the signature. The usual case, a short script, ends here.
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
