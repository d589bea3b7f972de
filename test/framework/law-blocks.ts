// Makes small regtest blocks for tests of the consensus rules: coinbases, spends, headers with the right root and proof
// of work. It uses the builders of the consensus module. The vector tests check that these agree with the network.

import { type BlockView, parseBlock } from '../../src/consensus/block/block-view.js';
import { buildBlock, buildHeader, type HeaderFields } from '../../src/consensus/block/build-block.js';
import { merkleRoot } from '../../src/consensus/block/merkle.js';
import { buildTx, type TxFields, type TxInputFields, type TxOutputFields } from '../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import type { Hashes } from '../../src/crypto/crypto.js';

/** A script anyone can spend. */
export const OP_TRUE = Uint8Array.of(0x51);
/** Regtest's bits. */
export const EASY_BITS = 0x207fffff;

const EMPTY = new Uint8Array(0);

/** Fields of an input; by default final and without scripts. */
export function input(prevHash: Uint8Array, prevIndex = 0, more: Partial<TxInputFields> = {}): TxInputFields {
  return { prevHash, prevIndex, scriptSig: EMPTY, sequence: 0xffffffff, ...more };
}

/** Fields of an output, to OP_TRUE by default. */
export function output(value: number | bigint, script: Uint8Array = OP_TRUE): TxOutputFields {
  return { value, script };
}

/** A parsed transaction. */
export function makeTx(hashes: Hashes, fields: Partial<TxFields>): TxView {
  return parseTx(buildTx({ version: 2, inputs: [], outputs: [output(0)], locktime: 0, ...fields }), hashes, {
    allowWitness: fields.inputs?.length !== 0,
  });
}

/** A coinbase. @param scriptSig beginning with the height's push where BIP-0034 holds */
export function makeCoinbase(hashes: Hashes, scriptSig: Uint8Array, outputs: TxOutputFields[], more: Partial<TxInputFields> = {}): TxView {
  return makeTx(hashes, { inputs: [input(new Uint8Array(32), 0xffffffff, { scriptSig, ...more })], outputs });
}

/** A block of these transactions whose header has the right merkle root; `fields` override the header. */
export function makeBlock(hashes: Hashes, txs: TxView[], fields: Partial<HeaderFields> = {}): BlockView {
  const { root } = merkleRoot(
    txs.map((tx) => tx.txid),
    hashes,
  );
  const header = {
    version: 0x20000000,
    prevHash: new Uint8Array(32),
    merkleRoot: root,
    time: 1_600_000_600,
    bits: EASY_BITS,
    nonce: 0,
    ...fields,
  };
  const bytes = txs.map((tx) => tx.bytes);
  return parseBlock(buildBlock(buildHeader(header), bytes), hashes);
}

/** The same block with a nonce that satisfies, or on request violates, regtest's target. */
export function grind(hashes: Hashes, block: BlockView, good = true): BlockView {
  const copy = Uint8Array.from(block.bytes);
  for (let nonce = 0; ; nonce++) {
    new DataView(copy.buffer).setUint32(76, nonce, true);
    // Half of all hashes lie below regtest's target: the top bit decides.
    const found = parseBlock(copy, hashes);
    if (found.hash[31] < 0x7f === good && found.hash[31] !== 0x7f) return found;
  }
}
