// Members that header and block objects share, in Core 0.21's order.
import type { HeaderContext } from '../../consensus/header-context.js';
import { decodeCompact } from '../../consensus/rules/bits.js';
import { Double, type JsonResult } from '../wire/values.js';
import { difficultyOf } from './difficulty.js';
import { hashHex, hex32 } from './hex.js';

/** A header as replies show it. */
export interface ShownHeader extends HeaderContext {
  readonly hashHex: string;
  readonly merkleRoot: Uint8Array;
  readonly nonce: number;
  readonly chainWork: bigint;
  readonly txCount: number;
}

/** Returns the target of compact bits as 64 hex digits. */
export const targetHex = (bits: number): string => decodeCompact(bits).target.toString(16).padStart(64, '0');

/** Returns the members from height to merkle root. */
export function headerHead(node: ShownHeader): Record<string, JsonResult> {
  return {
    height: node.height,
    version: node.version,
    versionHex: hex32(node.version),
    merkleroot: hashHex(node.merkleRoot),
  };
}

/** Returns the members from time to the hashes of the neighbours. */
export function headerTail(node: ShownHeader, next: { readonly hashHex: string } | undefined): Record<string, JsonResult> {
  return {
    time: node.time,
    mediantime: node.medianTimePast(),
    nonce: node.nonce,
    bits: hex32(node.bits),
    target: targetHex(node.bits),
    difficulty: new Double(difficultyOf(node.bits)),
    chainwork: node.chainWork.toString(16).padStart(64, '0'),
    nTx: node.txCount,
    previousblockhash: node.prev ? hashHex(node.prev.hash) : undefined,
    nextblockhash: next?.hashHex,
  } as Record<string, JsonResult>;
}
