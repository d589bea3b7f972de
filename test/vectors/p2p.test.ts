// Real payloads of P2P messages (the vectors of BIP-0324 have a file of their own): a compact block that is put together again from the
// transactions of its block, and a merkleblock whose proof leads to that block's root.
// VECTORS names the folder (../shared/vectors by default); without it the suites are skipped.
import { readdirSync } from 'node:fs';
import { parseBlock } from '../../src/consensus/block/block-view.js';
import { parseHeader } from '../../src/consensus/block/header-view.js';
import { buildPartialMerkle, decodePartialMerkle, encodePartialMerkle, extractMatches } from '../../src/consensus/block/partial-merkle.js';
import { toHex } from '../../src/consensus/bytes/hex.js';
import { chainParams } from '../../src/consensus/params/chain-params.js';
import type { TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import type { NetContext } from '../../src/net/context.js';
import { PartialBlock } from '../../src/net/relay/partial-block.js';
import { decodeCompactBlock, encodeCompactBlock, ShortIds } from '../../src/net/wire/compact-block.js';
import { readVector, vectorPath, vectorSuite } from '../framework/vectors.js';

const crypto = createNativeCrypto();

/** What a partial block asks of the network room: a mempool of these transactions. */
function contextWith(txs: readonly TxView[]): NetContext {
  const all = function* () {
    for (const tx of txs) yield { wtxid: tx.wtxid, tx: () => tx };
  };
  return { crypto, params: chainParams('test'), wtxids: { all } } as unknown as NetContext;
}

vectorSuite('p2p/compact_block_898352.bin', async (t) => {
  const payload = readVector('p2p/compact_block_898352.bin');
  const bytes = readVector('blocks/plain/test-898352.bin');
  const block = parseBlock(bytes, crypto, { exact: true });
  const compact = decodeCompactBlock(payload, crypto);
  t.equal(toHex(encodeCompactBlock(compact)), toHex(payload), 'encodes back');
  t.equal(toHex(compact.header), toHex(bytes.subarray(0, 80)));
  t.same(
    compact.prefilled.map(({ index, tx }) => [index, toHex(tx.txid)]),
    [[0, toHex(block.txs[0].txid)]],
    'the coinbase as it is',
  );
  const ids = new ShortIds(compact.header, compact.nonce, crypto);
  t.same(
    compact.shortIds,
    block.txs.slice(1).map(({ wtxid }) => ids.of(wtxid)),
    'the others by nine short ids',
  );

  // All but two are known.
  const [unknownA, unknownB] = [block.txs[3], block.txs[7]];
  const context = contextWith(block.txs.filter((tx) => tx !== unknownA && tx !== unknownB).reverse());
  const partial = await PartialBlock.begin(compact, context, []);
  t.ok(partial instanceof PartialBlock);
  if (!(partial instanceof PartialBlock)) return;
  t.same(partial.missing(), [3, 7]);
  t.equal(partial.fromMempool, 7);
  const whole = partial.finish([unknownA, unknownB], 898_352, context);
  t.ok(typeof whole === 'object' && toHex(whole.bytes) === toHex(bytes), 'the block, byte for byte');
  t.equal(partial.finish([unknownB, unknownA], 898_352, context), 'failed', 'in the wrong order it is another');
  t.equal(partial.finish([unknownA], 898_352, context), 'invalid');
});

vectorSuite('p2p/merkleblock_300025.bin', (t) => {
  const payload = readVector('p2p/merkleblock_300025.bin');
  const header = parseHeader(payload.subarray(0, 80), crypto);
  const tree = decodePartialMerkle(payload.subarray(80));
  t.equal(toHex(encodePartialMerkle(tree)), toHex(payload.subarray(80)), 'encodes back');
  const found = extractMatches(tree, crypto);
  t.equal(found && toHex(found.root), toHex(header.merkleRoot));
  const block = parseBlock(readVector('blocks/with-spent-outputs/main-300025.bin'), crypto, { exact: true });
  t.equal(toHex(block.header.bytes), toHex(header.bytes));
  t.equal(tree.count, block.txs.length);
  t.same(
    found?.positions.map((at) => toHex(block.txs[at].txid)),
    found?.txids.map(toHex),
  );
  const matches = block.txs.map((_, at) => found?.positions.includes(at) === true);
  const txids = block.txs.map(({ txid }) => txid);
  t.equal(toHex(encodePartialMerkle(buildPartialMerkle(txids, matches, crypto))), toHex(payload.subarray(80)), 'made from the block');
});

// A file that comes to the folder and is read by no suite would go unnoticed.
vectorSuite('p2p', (t) => {
  t.same(readdirSync(vectorPath('p2p')).sort(), [
    'bip324_ellswift_decode.json',
    'bip324_packet_encoding.json',
    'bip324_xswiftec_inv.json',
    'compact_block_898352.bin',
    'merkleblock_300025.bin',
  ]);
});
