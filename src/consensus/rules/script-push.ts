// The few script bytes that block rules need to make themselves: pushes of data and of a height. Used for BIP-0034, BIP-0325
// and coinbase building; running scripts is the script room's work.

import { ByteWriter } from '../bytes/writer.js';

const OP_0 = 0x00;
const OP_1 = 0x51;
const OP_PUSHDATA1 = 0x4c;
const OP_PUSHDATA2 = 0x4d;
const OP_PUSHDATA4 = 0x4e;

/** The shortest plain push of these bytes, as Core's script builder makes it: never OP_1 to OP_16. */
export function pushData(data: Uint8Array): Uint8Array {
  const out = new ByteWriter(data.length + 5);
  if (data.length < OP_PUSHDATA1) out.u8(data.length);
  else if (data.length <= 0xff) out.u8(OP_PUSHDATA1).u8(data.length);
  else if (data.length <= 0xffff) out.u8(OP_PUSHDATA2).u16(data.length);
  else out.u8(OP_PUSHDATA4).u32(data.length);
  return out.bytes(data).finish();
}

/** The push of a height that a coinbase begins with (BIP-0034): OP_0, OP_1 to OP_16, else a minimal number. */
export function pushHeight(height: number): Uint8Array {
  if (height === 0) return Uint8Array.of(OP_0);
  if (height <= 16) return Uint8Array.of(OP_1 - 1 + height);
  const number: number[] = [];
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) number.push(rest % 256);
  // The top bit is the sign; a positive number that would set it gets one more byte.
  if (number[number.length - 1] >= 0x80) number.push(0);
  return pushData(Uint8Array.from(number));
}
