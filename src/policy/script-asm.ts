// Scripts as text, exactly as Core prints them in `asm` members.

import { toHex } from '../consensus/bytes/hex.js';
import { checkSignatureEncoding } from '../consensus/script/encoding.js';
import { SCRIPT_VERIFY_STRICTENC } from '../consensus/script/flags.js';
import { decodeNumber } from '../consensus/script/number.js';
import { OP, opcodeName } from '../consensus/script/opcodes.js';
import { ScriptError } from '../consensus/script/script-error.js';
import { ScriptTokenizer } from '../consensus/script/tokenizer.js';
import { isUnspendable } from './script-type.js';

/** Names of signature hash types by their byte. */
export const HASH_TYPE_NAMES: ReadonlyMap<number, string> = new Map([
  [0x01, 'ALL'],
  [0x81, 'ALL|ANYONECANPAY'],
  [0x02, 'NONE'],
  [0x82, 'NONE|ANYONECANPAY'],
  [0x03, 'SINGLE'],
  [0x83, 'SINGLE|ANYONECANPAY'],
]);

// Size in bytes up to which pushes are printed as numbers.
const MAX_NUMBER_PUSH = 4;

/**
 * Returns a script as text: pushes of up to 4 bytes as decimal numbers, longer ones as hex, opcodes by name, and
 * `[error]` for a push beyond the end of the script.
 * @param opts.sighashDecode print signatures as hex without the hash type byte, followed by the type's name in
 *   brackets. For scriptSigs only
 */
export function scriptAsm(script: Uint8Array, opts: { sighashDecode?: boolean } = {}): string {
  // Data after OP_RETURN is no signature, even if it looks like one.
  const decodeSignatures = opts.sighashDecode === true && !isUnspendable(script);
  const words: string[] = [];
  const token = new ScriptTokenizer(script);
  while (token.next()) {
    if (token.opcode > OP.OP_PUSHDATA4) words.push(opcodeName(token.opcode));
    else words.push(pushText(token.data(), decodeSignatures));
  }
  if (token.failed) words.push('[error]');
  return words.join(' ');
}

function pushText(data: Uint8Array, decodeSignatures: boolean): string {
  if (data.length <= MAX_NUMBER_PUSH) return String(decodeNumber(data, false));
  if (decodeSignatures && checkSignatureEncoding(data, SCRIPT_VERIFY_STRICTENC) === ScriptError.OK) {
    const name = HASH_TYPE_NAMES.get(data[data.length - 1]);
    if (name !== undefined) return `${toHex(data.subarray(0, -1))}[${name}]`;
  }
  return toHex(data);
}
