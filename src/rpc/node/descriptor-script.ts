// The one output script of a descriptor that a block is to pay, as Core 0.21's getScriptFromDescriptor picks it.
import { parseDescriptor } from '../../address/descriptor/parse.js';
import type { NodeContext } from './context.js';

/** The script, or the parser's message. */
export function descriptorScript(ctx: NodeContext, text: string): { script: Uint8Array } | { error: string } {
  const parsed = parseDescriptor(text, {
    params: ctx.params,
    hashes: ctx.crypto,
    isPoint: (key) => ctx.crypto.isPoint(key),
    publicKey: (secret, compressed) => ctx.publicKey(secret, compressed),
  });
  if ('error' in parsed) return parsed;
  // combo() expands to four scripts (the third is P2WPKH), or to two with an uncompressed key (the second is P2PKH).
  const { scripts } = parsed;
  return { script: scripts[scripts.length === 4 ? 2 : scripts.length === 2 ? 1 : 0] };
}
