// Makes small regtest blocks for tests of the consensus rules: coinbases, spends, headers with the right root and proof
// of work. It uses the builders of the consensus module. The vector tests check that these agree with the network.

import { type BlockView, parseBlock } from '../../src/consensus/block/block-view.js';
import { buildBlock, buildHeader, type HeaderFields } from '../../src/consensus/block/build-block.js';
import { merkleRoot } from '../../src/consensus/block/merkle.js';
import { buildTx, type TxFields, type TxInputFields, type TxOutputFields } from '../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import type { Hashes } from '../../src/crypto/crypto.js';

/** A script that anyone can spend. */
export const OP_TRUE = Uint8Array.of(0x51);
/** Bits of regtest. */
export const EASY_BITS = 0x207fffff;

const EMPTY = new Uint8Array(0);

/** Returns the fields of an input. By default it is final and has no scripts. */
export function input(prevHash: Uint8Array, prevIndex = 0, more: Partial<TxInputFields> = {}): TxInputFields {
  return { prevHash, prevIndex, scriptSig: EMPTY, sequence: 0xffffffff, ...more };
}

/** Returns the fields of an output, by default to OP_TRUE. */
export function output(value: number | bigint, script: Uint8Array = OP_TRUE): TxOutputFields {
  return { value, script };
}

/** Returns a parsed transaction. */
export function makeTx(hashes: Hashes, fields: Partial<TxFields>): TxView {
  return parseTx(buildTx({ version: 2, inputs: [], outputs: [output(0)], locktime: 0, ...fields }), hashes, {
    allowWitness: fields.inputs?.length !== 0,
  });
}

/** Returns a coinbase. @param scriptSig must begin with a push of the height if BIP-0034 applies */
export function makeCoinbase(hashes: Hashes, scriptSig: Uint8Array, outputs: TxOutputFields[], more: Partial<TxInputFields> = {}): TxView {
  return makeTx(hashes, { inputs: [input(new Uint8Array(32), 0xffffffff, { scriptSig, ...more })], outputs });
}

/** Returns a block of these transactions with the right merkle root. `fields` override fields of the header. */
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

/** Returns the block with a nonce that meets regtest's target or, on request, does not. */
export function grind(hashes: Hashes, block: BlockView, good = true): BlockView {
  const copy = Uint8Array.from(block.bytes);
  for (let nonce = 0; ; nonce++) {
    new DataView(copy.buffer).setUint32(76, nonce, true);
    // Half of all hashes are below regtest's target: those whose top bit is 0.
    const found = parseBlock(copy, hashes);
    if (found.hash[31] < 0x7f === good && found.hash[31] !== 0x7f) return found;
  }
}
