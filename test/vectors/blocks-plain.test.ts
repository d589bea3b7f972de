// Real blocks without their coins: parsing, ids, both roots, sizes, and every rule that needs no coins.

import { parseBlock } from '../../src/consensus/block/block-view.js';
import { buildBlock } from '../../src/consensus/block/build-block.js';
import { blockMerkleRoot, coinbaseBranch, witnessCommitmentIndex } from '../../src/consensus/block/merkle.js';
import { equalBytes, hashFromHex, hashToHex, toHex } from '../../src/consensus/bytes/hex.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { checkBlock } from '../../src/consensus/rules/check-block.js';
import { contextualCheckBlock, witnessCommitment } from '../../src/consensus/rules/contextual-check-block.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { ModelNode } from '../framework/law-model.js';
import { fileSuite, readJson, readVector, vectorPath } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();

interface Row {
  file: string;
  network: 'main' | 'test';
  height: number | null;
  hash: string;
  prevHash: string;
  merkleRoot: string;
  time: number;
  bits: string;
  version: number;
  size: number;
  strippedSize: number;
  weight: number;
  txCount: number;
  inputCount: number;
  witnessCommitment: string | null;
  firstTxid: string;
  lastTxid: string;
  lastWtxid: string;
}

fileSuite('blocks/plain/index.json', (t) => {
  for (const row of readJson<Row[]>('blocks/plain/index.json')) {
    const path = `blocks/plain/${row.file}.bin`;
    t.test(row.file, { skip: vectorPath(path) === null && `${path} is not there` }, async (t) => {
      const bytes = readVector(path);
      const block = parseBlock(bytes, crypto, { exact: true });
      const last = block.txs[block.txs.length - 1];
      t.equal(hashToHex(block.hash), row.hash);
      t.equal(hashToHex(block.header.prevHash), row.prevHash);
      t.equal(hashToHex(block.header.merkleRoot), row.merkleRoot);
      t.equal(block.header.time, row.time);
      t.equal(block.header.bits, Number.parseInt(row.bits, 16));
      t.equal(block.header.version, row.version);
      t.equal(block.totalSize, row.size);
      t.equal(block.strippedSize, row.strippedSize);
      t.equal(block.weight, row.weight);
      t.equal(block.txs.length, row.txCount);
      // The index leaves the coinbase's input out.
      t.equal(
        block.txs.reduce((sum, tx) => sum + tx.inputCount, 0),
        row.inputCount + 1,
      );
      t.equal(hashToHex(block.txs[0].txid), row.firstTxid);
      t.equal(hashToHex(last.txid), row.lastTxid);
      t.equal(hashToHex(last.wtxid), row.lastWtxid);
      t.same(blockMerkleRoot(block), { root: hashFromHex(row.merkleRoot), mutated: false });
      const index = witnessCommitmentIndex(block.txs[0]);
      t.equal(index >= 0 ? toHex(block.txs[0].outputScript(index).subarray(6, 38)) : null, row.witnessCommitment);
      if (index >= 0 && row.witnessCommitment !== null) {
        t.equal(toHex(witnessCommitment(block, block.txs[0].witness(0)[0])), row.witnessCommitment);
      }
      t.ok(
        equalBytes(
          buildBlock(
            block.header.bytes,
            block.txs.map((tx) => tx.bytes),
          ),
          bytes,
        ),
        're-encodes to the same bytes',
      );

      const params = chainParams(row.network);
      t.equal(checkBlock(block, params, crypto), null, 'passes the context-free rules');
      if (row.height !== null) {
        // Only height and times count here; a parent an hour older stands for the real one.
        const parent = new ModelNode(null, row.time - 3600, block.header.bits, 4, block.header.prevHash, row.height - 1);
        t.equal(contextualCheckBlock(block, parent, params), null, 'passes the contextual rules');
      }

      let root = block.txs[0].txid;
      for (const side of coinbaseBranch(
        block.txs.map((tx) => tx.txid),
        crypto,
      )) {
        root = crypto.sha256d(Buffer.concat([root, side]));
      }
      t.equal(hashToHex(root), row.merkleRoot, "the coinbase's branch leads to the root");
    });
  }
});

fileSuite('blocks/plain/index.json', (t) => {
  // One changed byte anywhere must not go unnoticed; the smallest block and the stride keep the suite short.
  const rows = readJson<Row[]>('blocks/plain/index.json').filter(
    ({ file, height }) => height !== null && vectorPath(`blocks/plain/${file}.bin`),
  );
  const [row] = rows.sort((a, b) => a.size - b.size);
  if (row === undefined) return void t.pass('changed bytes', { skip: 'no block of a known height is there' });
  const bytes = readVector(`blocks/plain/${row.file}.bin`);
  const params = chainParams(row.network);
  const { header } = parseBlock(bytes, crypto, { exact: true });
  const parent = new ModelNode(null, row.time - 3600, header.bits, 4, header.prevHash, (row.height as number) - 1);
  let accepted = 0;
  for (let at = 0; at < bytes.length; at += 61) {
    const copy = Uint8Array.from(bytes);
    copy[at] ^= 0x10;
    let block: ReturnType<typeof parseBlock>;
    try {
      block = parseBlock(copy, crypto, { exact: true });
    } catch {
      continue;
    }
    if ((checkBlock(block, params, crypto) ?? contextualCheckBlock(block, parent, params)) === null) accepted++;
  }
  t.equal(accepted, 0, row.file);
});
