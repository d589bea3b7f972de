// Blocks of templates, as a pool's software makes them: the coinbase of its own, everything else as it was given.
import { ANYONE, type BuiltBlock } from '../framework/chain-builder.js';
import {
  compactSize,
  grind,
  type Header,
  merkleRoot,
  push,
  scriptNumber,
  serializeHeader,
  serializeTx,
  shown,
  type Tx,
  txid,
  unshown,
} from '../framework/messages.js';

/** A result of getblocktemplate. */
// biome-ignore lint/suspicious/noExplicitAny: a template has many members
export type Template = any;

/** The block of a template; solved when it is to be submitted. */
export function blockOf(template: Template, tag: number, solve: boolean): BuiltBlock {
  const mark = Buffer.alloc(8);
  mark.writeDoubleLE(tag);
  const coinbase: Tx = {
    version: 2,
    ins: [
      {
        txid: Buffer.alloc(32),
        index: 0xffffffff,
        script: Buffer.concat([scriptNumber(template.height), push(mark)]),
        sequence: 0xffffffff,
        witness: [Buffer.alloc(32)],
      },
    ],
    outs: [
      { value: template.coinbasevalue, script: ANYONE },
      { value: 0, script: Buffer.from(template.default_witness_commitment, 'hex') },
    ],
    locktime: 0,
  };
  const ids = [txid(coinbase), ...template.transactions.map((tx: { txid: string }) => unshown(tx.txid))];
  const header: Header = {
    version: template.version,
    prev: unshown(template.previousblockhash),
    merkleRoot: merkleRoot(ids),
    time: template.curtime,
    bits: Number.parseInt(template.bits, 16),
    nonce: 0,
  };
  const hash = solve ? grind(header) : Buffer.alloc(32);
  const data = template.transactions.map((tx: { data: string }) => Buffer.from(tx.data, 'hex'));
  const head = serializeHeader(header);
  const bytes = Buffer.concat([head, compactSize(ids.length), serializeTx(coinbase), ...data]);
  return {
    hash,
    hashHex: shown(hash),
    prev: null,
    height: template.height,
    time: header.time,
    header: head,
    bytes,
    txs: [coinbase],
    txids: ids,
  };
}
