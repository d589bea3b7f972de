// Real payloads of P2P messages (the vectors of BIP-0324 have a file of their own): a compact block that is put
// together again from the transactions of its block, and a merkleblock whose proof leads to that block's root. VECTORS
// names the folder (../shared/vectors by default); without it the suites are skipped.
import { parseBlock } from '../../src/consensus/block/block-view.js';
import { parseHeader } from '../../src/consensus/block/header-view.js';
import { buildPartialMerkle, decodePartialMerkle, encodePartialMerkle, extractMatches } from '../../src/consensus/block/partial-merkle.js';
import { toHex } from '../../src/consensus/bytes/hex.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import type { TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import type { NetContext } from '../../src/net/context.js';
import { PartialBlock } from '../../src/net/relay/partial-block.js';
import { decodeCompactBlock, encodeCompactBlock, ShortIds } from '../../src/net/wire/compact-block.js';
import { filesSuite, readVector, vectorNames } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();
const toText = (value: unknown): string => JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? String(one) : one));

/** Makes the context that a partial block needs: a mempool of these transactions. */
function contextWith(txs: readonly TxView[]): NetContext {
  const search = function* (wanted: (bytes: Uint8Array, at: number) => number | undefined, found: (tx: TxView, place: number) => void) {
    for (const tx of txs) {
      const place = wanted(Buffer.concat([tx.txid, tx.wtxid]), 32);
      if (place !== undefined) found(tx, place);
      yield;
    }
  };
  return {
    commands: { identify: async () => undefined },
    crypto,
    params: chainParams('test'),
    wtxids: { search },
  } as unknown as NetContext;
}

/** The block of a height, of whichever network: its bytes, or null when it isn't among the blocks. */
function blockAt(height: string): Buffer | null {
  for (const folder of ['blocks/plain', 'blocks/with-spent-outputs'])
    for (const name of vectorNames(folder, new RegExp(`-${height}\\.bin$`))) return readVector(`${folder}/${name}`);
  return null;
}
const heightIn = (name: string): string => /_(\d+)\.bin$/.exec(name)?.[1] ?? '';

filesSuite('p2p', /^compact_block_\d+\.bin$/, 'put together again', async (t, name) => {
  const payload = readVector(`p2p/${name}`);
  const compact = decodeCompactBlock(payload, crypto);
  t.equal(toHex(encodeCompactBlock(compact)), toHex(payload), 'encodes back');
  const bytes = blockAt(heightIn(name));
  if (bytes === null) return void t.pass(name, { skip: 'its block is not there' });
  const block = parseBlock(bytes, crypto, { exact: true });
  t.equal(toHex(compact.header), toHex(bytes.subarray(0, 80)));
  const prefilled = new Set(compact.prefilled.map(({ index }) => index));
  t.ok(prefilled.has(0), 'the coinbase as it is');
  for (const { index, tx } of compact.prefilled) t.equal(toHex(tx.txid), toHex(block.txs[index]!.txid));
  const ids = new ShortIds(compact.header, compact.nonce, crypto);
  const others = block.txs.flatMap((tx, index) => (prefilled.has(index) ? [] : [{ tx, index }]));
  // A node of version 1 counts txids, one of version 2 wtxids.
  const byTxid = others.map(({ tx }) => ids.of(tx.txid));
  const byWtxid = others.map(({ tx }) => ids.of(tx.wtxid));
  const version1 = toText(compact.shortIds) === toText(byTxid) && toText(byTxid) !== toText(byWtxid);
  if (version1) return void t.pass('short ids of version 1, which nobody asks for any more');
  t.same(compact.shortIds, byWtxid, 'the others by short ids');

  // All but two are known.
  const unknown = [...new Set([others[others.length >> 2], others[(3 * others.length) >> 2]])].filter((one) => one !== undefined);
  const context = contextWith(others.flatMap((one) => (unknown.includes(one) ? [] : [one.tx])).reverse());
  const partial = await PartialBlock.fromCompactBlock(compact, context, []);
  t.ok(partial instanceof PartialBlock);
  if (!(partial instanceof PartialBlock)) return;
  t.same(
    partial.missing(),
    unknown.map(({ index }) => index),
  );
  t.equal(partial.sources.mempool, others.length - unknown.length);
  const txs = unknown.map(({ tx }) => tx);
  const height = Number(heightIn(name));
  const whole = await partial.finish(txs, height, context);
  t.ok(typeof whole === 'object' && toHex(whole.bytes) === toHex(bytes), 'the block, byte for byte');
  if (txs.length < 2) return;
  t.equal(await partial.finish([...txs].reverse(), height, context), 'mismatch', 'in the wrong order it is another');
  t.equal(await partial.finish(txs.slice(1), height, context), 'invalid');
});

filesSuite('p2p', /^merkleblock_\d+\.bin$/, 'leads to the root of its block', (t, name) => {
  const payload = readVector(`p2p/${name}`);
  const header = parseHeader(payload.subarray(0, 80), crypto);
  const tree = decodePartialMerkle(payload.subarray(80));
  t.equal(toHex(encodePartialMerkle(tree)), toHex(payload.subarray(80)), 'encodes back');
  const found = extractMatches(tree, crypto);
  t.equal(found && toHex(found.root), toHex(header.merkleRoot));
  const bytes = blockAt(heightIn(name));
  if (bytes === null) return void t.pass(name, { skip: 'its block is not there' });
  const block = parseBlock(bytes, crypto, { exact: true });
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
