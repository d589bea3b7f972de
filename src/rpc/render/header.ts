// Members that header and block objects share, in Core 0.21's order.
import { decodeCompact } from '../../consensus/rules/bits.js';
import { Double, type JsonResult } from '../wire/values.js';
import { difficultyOf } from './difficulty.js';
import { hashHex, hex32 } from './hex.js';

/** A header as replies show it. Hashes without `Hex` are in internal order. */
export interface ShownHeader {
  readonly height: number;
  readonly version: number;
  readonly merkleRoot: Uint8Array;
  readonly time: number;
  readonly mediantime: number;
  readonly nonce: number;
  readonly bits: number;
  /** Work of the chain up to the block, 64 hex digits. */
  readonly chainwork: string;
  readonly txCount: number;
  /** Null for the genesis block. */
  readonly prevHash: Uint8Array | null;
  /** Hash of the next block in the active chain in display order; null for none. */
  readonly next: string | null;
}

/** Returns the target of compact bits as 64 hex digits. */
export const targetHex = (bits: number): string => decodeCompact(bits).target.toString(16).padStart(64, '0');

/** Returns the members from height to merkle root. */
export function headerHead(header: ShownHeader): Record<string, JsonResult> {
  return {
    height: header.height,
    version: header.version,
    versionHex: hex32(header.version),
    merkleroot: hashHex(header.merkleRoot),
  };
}

/** Returns the members from time to the hashes of the neighbours. */
export function headerTail(header: ShownHeader): Record<string, JsonResult> {
  return {
    time: header.time,
    mediantime: header.mediantime,
    nonce: header.nonce,
    bits: hex32(header.bits),
    target: targetHex(header.bits),
    difficulty: new Double(difficultyOf(header.bits)),
    chainwork: header.chainwork,
    nTx: header.txCount,
    previousblockhash: header.prevHash ? hashHex(header.prevHash) : undefined,
    nextblockhash: header.next ?? undefined,
  } as Record<string, JsonResult>;
}
