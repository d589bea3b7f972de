// Rollback row: takes back a block's coin changes without the block's bytes and undo data. Used if a start finds that
// these are lost.
//
//   hash of the block, 32 | transactions, LE32 | undo data (codec/undo.ts), length LE32 first
//   per transaction: txid, 32 | outputs, LE32 | inputs, LE32 (0 for the coinbase) | 36 bytes per input: the output it spends

import type { BlockView } from '../../consensus/block/block-view.js';
import { ByteReader } from '../../consensus/bytes/reader.js';
import { ByteWriter, writeU32 } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import type { CoinSpace } from '../layout.js';
import type { BatchOp } from '../store.js';
import { encodeCoin } from './coin.js';
import { decodeStored } from './corruption.js';
import { decodeUndo } from './undo.js';

const OUTPOINT_BYTES = 36;

/**
 * Encodes a rollback row.
 * @param undo encoded undo data: the coins that the block spent
 */
export function encodeRollback(block: BlockView, undo: Uint8Array): Uint8Array {
  const writer = new ByteWriter(undo.length + block.txs.length * 120);
  writer.bytes(block.hash).u32(block.txs.length).u32(undo.length).bytes(undo);
  for (const [t, tx] of block.txs.entries()) {
    const inputs = t === 0 ? 0 : tx.inputCount;
    writer.bytes(tx.txid).u32(tx.outputCount).u32(inputs);
    for (let i = 0; i < inputs; i++) writer.piece(tx.buffer, tx.outpointAt(i), OUTPOINT_BYTES);
  }
  return writer.finish();
}

/** Returns a view of the block's hash. */
export function hashOfRollback(row: Uint8Array): Uint8Array {
  return row.subarray(0, 32);
}

/**
 * Returns the coin changes that take the block back. If several operations change the same coin, the last one applies.
 * @param space the set of coins to which the row belongs
 * @throws StoreError STORE_CORRUPTION
 */
export function rollbackOps(row: Uint8Array, space: CoinSpace): BatchOp[] {
  return decodeStored('rollback of a block', () => {
    const reader = new ByteReader(row, 32);
    const count = reader.u32();
    const spent = decodeUndo(new Uint8Array(reader.bytes(reader.u32())));
    const txs: { txid: Uint8Array; outputs: number; outpoints: Uint8Array[] }[] = [];
    for (let t = 0; t < count; t++) {
      const txid = reader.bytes(32);
      const outputs = reader.u32();
      const outpoints: Uint8Array[] = [];
      for (let left = reader.u32(); left > 0; left--) outpoints.push(reader.bytes(OUTPOINT_BYTES));
      txs.push({ txid, outputs, outpoints });
    }
    const ops: BatchOp[] = [];
    for (let t = count - 1; t >= 0; t--) {
      const { txid, outputs, outpoints } = txs[t] as (typeof txs)[number];
      for (let o = 0; o < outputs; o++) ops.push({ type: 'del', key: space.key(outpointOf(txid, o)) });
      for (const [i, outpoint] of outpoints.entries()) {
        ops.push({ type: 'put', key: space.key(outpoint), value: encodeCoin((spent[t - 1] as Coin[])[i] as Coin) });
      }
    }
    return ops;
  });
}

function outpointOf(txid: Uint8Array, index: number): Uint8Array {
  const outpoint = new Uint8Array(OUTPOINT_BYTES);
  outpoint.set(txid);
  writeU32(outpoint, 32, index);
  return outpoint;
}
