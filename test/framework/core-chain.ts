// Makes the regtest chain whose snapshot at height 200 is in Core's parameters.
import { type BuiltBlock, GENESIS, REGTEST_BITS, subsidy } from './chain-builder.js';
import {
  compactSize,
  grind,
  type Header,
  scriptNumber,
  serializeHeader,
  serializeTx,
  shown,
  TRUE_SCRIPT,
  type Tx,
  txid,
} from './messages.js';

/** Returns blocks with a coinbase each, one second apart, as Core's tests make them for these parameters. */
export function coreChain(count: number): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (let prev = GENESIS; blocks.length < count; prev = blocks.at(-1)!) {
    const height = prev.height + 1;
    const script = Buffer.concat([scriptNumber(height), Buffer.of(0)]);
    const ins = [{ txid: Buffer.alloc(32), index: 0xffffffff, script, sequence: 0xfffffffe }];
    const coinbase: Tx = { version: 2, ins, outs: [{ value: subsidy(height), script: TRUE_SCRIPT }], locktime: height - 1 };
    const id = txid(coinbase);
    const header: Header = { version: 4, prev: prev.hash, merkleRoot: id, time: prev.time + 1, bits: REGTEST_BITS, nonce: 0 };
    const hash = grind(header);
    const head = serializeHeader(header);
    const bytes = Buffer.concat([head, compactSize(1), serializeTx(coinbase)]);
    blocks.push({ hash, hashHex: shown(hash), prev, height, time: header.time, header: head, bytes, txs: [coinbase], txids: [id] });
  }
  return blocks;
}
