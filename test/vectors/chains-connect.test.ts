// Whole chains through the node's own chain: import from files, full validation with scripts, coins and undo data in
// order afterwards. Also two branches, of which the longer has more work.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseBlock } from '../../src/consensus/block/block-view.js';
import { fromHex, hashToHex, toHex } from '../../src/consensus/bytes/hex.js';
import type { ChainName } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { checkBlock } from '../../src/consensus/rules/check-block.js';
import type { Verifier, VerifyBatch } from '../../src/parallel/verifier.js';
import { type ChainFile, chainFiles } from '../framework/chain-files.js';
import { coinsOf, crypto, openFixture } from '../framework/chain-fixture.js';
import { InlineVerifier } from '../framework/inline-verifier.js';
import { ModelCoins } from '../framework/law-model.js';
import { fileSuite, filesSuite, readJson, type Tap } from '../framework/vector-suite.js';

/** Counts inputs on their way to the real one. */
class CountingVerifier {
  inputs = 0;
  readonly verifier: Verifier;
  constructor() {
    const inner = new InlineVerifier(crypto);
    this.verifier = {
      size: inner.size,
      canAcceptWork: (klass) => inner.canAcceptWork(klass),
      stats: () => inner.stats(),
      close: () => inner.close(),
      verifyTxs: (batch: VerifyBatch) => {
        for (const { tx } of batch.txs) this.inputs += tx.inputCount;
        return inner.verifyTxs(batch);
      },
    };
  }
}

async function importFile(t: Tap, network: ChainName, lines: readonly string[]): Promise<void> {
  const counting = new CountingVerifier();
  const height = lines[0]!.slice(8, 72) === '00'.repeat(32) ? lines.length - 1 : lines.length;
  const dir = mkdtempSync(join(tmpdir(), 'adit-import-'));
  const path = join(dir, 'forwards.hex');
  writeFileSync(path, `${lines.join('\n')}\n`);
  // main's assumed-valid block is not in the tree, so every script runs.
  const fixture = await openFixture({ network, verifier: counting.verifier });
  const { chain } = fixture;
  const reports: number[] = [];
  await chain.commands.loadBlockFiles([path], (progress) => reports.push(progress.height));
  t.equal(chain.view.tip.height, height);
  t.equal(chain.view.tip.hashHex, hashToHex(parseBlock(fromHex(lines[lines.length - 1]!), crypto).hash));
  t.equal(reports[reports.length - 1], height, 'progress was reported');
  const spent = lines.map((line) => parseBlock(fromHex(line), crypto)).flatMap(({ txs }) => txs.slice(1));
  t.equal(
    counting.inputs,
    spent.reduce((sum, tx) => sum + tx.inputCount, 0),
    'every input ran its script',
  );
  const model = new ModelCoins();
  for (let h = 1; h <= height; h++) model.apply(await chain.blocks.readBlock(chain.view.atHeight(h)!), h);
  t.equal((await coinsOf(fixture)).size, model.map.size, 'as many coins as in the model');
  t.equal(await chain.commands.verifyChain(4, 0), true, 'back and forth over all blocks');

  // The same blocks backwards from another file: each waits for its parent.
  const backwards = join(dir, 'backwards.hex');
  writeFileSync(backwards, `${[...lines].reverse().join('\n')}\n`);
  const records = join(dir, 'bootstrap.dat');
  const record = (line: string) => {
    const bytes = fromHex(line);
    const head = Buffer.alloc(8);
    head.set(chain.view.params.magic);
    head.writeUInt32LE(bytes.length, 4);
    return Buffer.concat([head, bytes]);
  };
  writeFileSync(records, Buffer.concat(lines.map(record)));
  for (const [file, orphanBytes] of [
    [backwards, 1 << 20],
    [backwards, Math.ceil(lines.join('').length / 8)],
    [records, 1 << 20],
  ] as const) {
    const other = await openFixture({ network, orphanBytes });
    await other.chain.commands.loadBlockFiles([file]);
    t.equal(other.chain.view.tip.hashHex, chain.view.tip.hashHex);
    t.same(await coinsOf(other), await coinsOf(fixture), 'the same coins');
    await other.end();
  }
  rmSync(dir, { recursive: true });
  t.same(fixture.faults, []);
  await fixture.end();
}

filesSuite('chains', /\.hex$/, 'imported', async (t, name) => {
  const { network, before, lines } = chainFiles().find((file) => file.name === name) as ChainFile;
  t.ok(lines.length > 0, 'has blocks');
  const params = chainParams(network);
  const blocks = lines.map((line) => parseBlock(fromHex(line), crypto, { exact: true }));
  if (before === null) {
    // Checks that need no coins and no earlier headers.
    for (const [i, block] of blocks.entries()) {
      if (i > 0) t.same(block.header.prevHash, blocks[i - 1]!.hash);
      t.equal(checkBlock(block, params, crypto), null);
    }
    return void t.pass(`${name}: connected`, { skip: 'the blocks before it are not there' });
  }
  await importFile(t, network, [...before, ...lines]);
  if (params.signetChallenge === null) return;
  // A block is not signed for another challenge. The check of the proof of work, which comes first, passes.
  const challenge = Uint8Array.from(params.signetChallenge);
  challenge[10]! ^= 1;
  const other = { ...params, signetChallenge: challenge };
  t.equal(checkBlock(blocks.at(-1)!, other, crypto)?.reason, 'bad-signet-blksig');
  t.equal(checkBlock(blocks.at(-1)!, other, crypto, { checkPow: false }), null, 'proposals need no signature');
});

fileSuite('chains/regtest-getblockstats.json', async (t) => {
  const { blocks } = readJson<{ blocks: string[] }>('chains/regtest-getblockstats.json');
  const fixture = await openFixture();
  for (const block of blocks.slice(1)) t.equal((await fixture.chain.commands.submitBlock(fromHex(block))).kind, 'accepted');
  t.equal(fixture.chain.view.tip.height, blocks.length - 1);
  await fixture.end();
});

fileSuite('chains/main-reorg-btcd.json', async (t) => {
  const file = readJson<Record<string, string[]>>('chains/main-reorg-btcd.json');
  const hashOf = (hex: string) => hashToHex(parseBlock(fromHex(hex), crypto).hash);
  const fixture = await openFixture({ network: 'main', checkpoints: false });
  const { chain } = fixture;
  const header = (hex: string) => chain.commands.submitHeader(fromHex(hex.slice(0, 160)));
  for (const block of file.blk_0_to_4!.slice(1)) t.equal(await header(block), null);
  const [a3, a4, a5] = [file.blk_3A!, file.blk_4A!, file.blk_5A!].flat() as [string, string, string];
  const old = chain.view.bestHeader.hashHex;
  t.equal(await header(a3), null);
  t.equal(await header(a4), null);
  t.equal(chain.view.bestHeader.hashHex, old, 'equal work: the first one seen');
  t.equal(await header(a5), null);
  t.equal(chain.view.bestHeader.hashHex, hashOf(a5), 'the A branch has more work');
  t.same(
    chain.view.tips().map(({ height, hashHex }) => [height, hashHex]),
    [
      [5, hashOf(a5)],
      [4, old],
      [0, chain.view.genesis.hashHex],
    ],
  );
  // These blocks were made for a node that did not ask coinbases to ripen; this one does.
  t.equal((await chain.commands.submitBlock(fromHex(file.blk_0_to_4![1]!))).kind, 'accepted');
  t.equal((await chain.commands.submitBlock(fromHex(file.blk_0_to_4![2]!))).reject?.reason, 'bad-txns-premature-spend-of-coinbase');
  t.equal(toHex(chain.view.tip.hash), toHex(parseBlock(fromHex(file.blk_0_to_4![1]!), crypto).hash));
  await fixture.end();
});
