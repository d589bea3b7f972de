// A block that lacks only its nonce. The generate calls search the nonce and submit the block. Template checks connect
// the block without storing it.
import { buildBlock, buildHeader } from '../consensus/block/build-block.js';
import { merkleRoot } from '../consensus/block/merkle.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';

export interface CandidateFields {
  readonly version: number;
  /** Hash of the previous block, 32 bytes in internal order. */
  readonly prevHash: Uint8Array;
  readonly time: number;
  readonly bits: number;
  readonly height: number;
  /** Serialised coinbase. */
  readonly coinbase: Uint8Array;
  readonly txs: readonly TxView[];
}

export class BlockCandidate {
  readonly height: number;
  readonly bits: number;
  /** Serialised header with nonce 0, 80 bytes. */
  readonly header: Uint8Array;
  readonly #txs: readonly Uint8Array[];

  constructor(fields: CandidateFields, hashes: Hashes) {
    this.height = fields.height;
    this.bits = fields.bits;
    this.#txs = [fields.coinbase, ...fields.txs.map((tx) => tx.bytes)];
    const ids = [parseTx(fields.coinbase, hashes).txid, ...fields.txs.map((tx) => tx.txid)];
    this.header = buildHeader({
      version: fields.version,
      prevHash: fields.prevHash,
      merkleRoot: merkleRoot(ids, hashes).root,
      time: fields.time,
      bits: fields.bits,
      nonce: 0,
    });
  }

  /** Returns the whole block with this nonce (uint32). */
  bytes(nonce = 0): Uint8Array {
    const block = buildBlock(this.header, this.#txs);
    new DataView(block.buffer, block.byteOffset).setUint32(76, nonce, true);
    return block;
  }
}
