// Removes a signature from the script code that it signs. Legacy signature checks have done this since the first
// release, so it is consensus.

import { plainPush } from './build-script.js';
import { ScriptTokenizer } from './tokenizer.js';

/**
 * Removes every occurrence of `signature` that begins at an opcode and is pushed in the way in which a script builder
 * pushes data.
 * @returns the same array object if there is no occurrence, so that the caller can compare the objects
 */
export function deleteSignature(script: Uint8Array, signature: Uint8Array): Uint8Array {
  // A push is longer than the signature itself, so a script that is no longer than the signature cannot contain it.
  // Most scripts are that short.
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
