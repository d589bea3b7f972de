// Whole chains from genesis under every rule, scripts included: parse, check, connect against coins in memory, run the
// scripts. Also two branches, of which the longer has more work.

import { type BlockView, parseBlock } from '../../src/consensus/block/block-view.js';
import { fromHex, hashToHex, toHex } from '../../src/consensus/bytes/hex.js';
import { blockOutpoints, connectBlock } from '../../src/consensus/connect.js';
import type { ChainName } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { blockProof } from '../../src/consensus/rules/bits.js';
import { blockScriptFlags } from '../../src/consensus/rules/block-script-flags.js';
import { checkBlock } from '../../src/consensus/rules/check-block.js';
import { checkHeaderContext } from '../../src/consensus/rules/check-header-context.js';
import { contextualCheckBlock } from '../../src/consensus/rules/contextual-check-block.js';
import { VersionBitsCache } from '../../src/consensus/rules/versionbits.js';
import { SighashCache } from '../../src/consensus/script/sighash.js';
import { verifyTxInput } from '../../src/consensus/script/verify-input.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { type ChainFile, chainFiles } from '../framework/chain-files.js';
import { ModelCoins, ModelNode } from '../framework/law-model.js';
import { fileSuite, filesSuite, readJson, type Tap } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();
// Later than every block here.
const NOW = 1_900_000_000;

/** A chain that checks everything it is given. */
class ModelChain {
  readonly coins = new ModelCoins();
  readonly cache = new VersionBitsCache();
  readonly params;
  tip: ModelNode;
  scripts = 0;

  /** @param maturity false: coinbases may be spent at once, as the tool that made one of the files had it */
  constructor(
    name: ChainName,
    readonly maturity = true,
  ) {
    this.params = chainParams(name);
    this.tip = ModelNode.of(null, parseBlock(this.params.genesis, crypto).header);
  }

  /** Connects a block to the tip; returns the reason when it is not valid. */
  connect(block: BlockView): string | null {
    const { params, tip } = this;
    if (toHex(block.header.prevHash) !== toHex(tip.hash)) return 'prev-blk-not-found';
    const early =
      checkHeaderContext(block.header, tip, params, NOW) ?? checkBlock(block, params, crypto) ?? contextualCheckBlock(block, tip, params);
    if (early !== null) return early.reason;
    const flags = blockScriptFlags(tip, block.hash, params, this.cache);
    const announced = new Set(blockOutpoints(block, tip, params).map(toHex));
    const view = {
      get: (outpoint: Uint8Array) => {
        if (!announced.has(toHex(outpoint))) throw new Error('asked for a coin it did not announce');
        const coin = this.coins.get(outpoint);
        return coin === undefined || this.maturity ? coin : { ...coin, coinbase: false };
      },
    };
    const result = connectBlock(block, tip, params, view, { flags });
    if (result.verdict !== null) return result.verdict.reason;
    for (let i = 1; i < block.txs.length; i++) {
      const sighash = new SighashCache(block.txs[i], crypto, result.spentByTx[i]);
      for (let k = 0; k < block.txs[i].inputCount; k++) {
        this.scripts++;
        const code = verifyTxInput(block.txs[i], k, result.spentByTx[i], flags, crypto, sighash);
        if (code !== 0) return `script error ${code} in transaction ${i} input ${k}`;
      }
    }
    this.coins.apply(block, tip.height + 1);
    this.tip = ModelNode.of(tip, block.header);
    return null;
  }
}

/** Connects all blocks of a file, leaving out genesis. */
function connectAll(t: Tap, name: ChainName, lines: string[], maturity = true): ModelChain {
  const chain = new ModelChain(name, maturity);
  const failures: string[] = [];
  for (const line of lines) {
    const block = parseBlock(fromHex(line), crypto, { exact: true });
    if (hashToHex(block.hash) === hashToHex(chain.params.genesisHash)) {
      t.same(toHex(block.bytes), toHex(chain.params.genesis), 'the genesis block is the one in the file');
      continue;
    }
    const reason = chain.connect(block);
    if (reason !== null) failures.push(`${chain.tip.height + 1}: ${reason}`);
  }
  t.same(failures.slice(0, 5), []);
  t.comment(`${name}: tip ${chain.tip.height}, ${chain.scripts} inputs, ${chain.coins.map.size} coins`);
  return chain;
}

filesSuite('chains', /\.hex$/, 'connected from genesis', (t, name) => {
  const { network, lines, before } = chainFiles().find((file) => file.name === name) as ChainFile;
  t.ok(lines.length > 0, 'has blocks');
  const params = chainParams(network);
  if (before === null) {
    // Checks that need no coins and no earlier headers.
    let prev: Uint8Array | null = null;
    for (const line of lines) {
      const block = parseBlock(fromHex(line), crypto, { exact: true });
      if (prev !== null) t.same(block.header.prevHash, prev);
      t.equal(checkBlock(block, params, crypto), null);
      prev = block.hash;
    }
    return void t.pass(`${name}: connected`, { skip: 'the blocks before it are not there' });
  }
  const chain = connectAll(t, network, [...before, ...lines]);
  const isGenesis = (line: string | undefined): boolean => line !== undefined && line.slice(8, 72) === '00'.repeat(32);
  t.equal(chain.tip.height, before.length + lines.length - (isGenesis(before[0] ?? lines[0]) ? 1 : 0));
  if (params.signetChallenge === null || before.length > 0 || !isGenesis(lines[0])) return;
  // Another challenge is not what was signed; the proof of work is looked at first, so it has to be left out of the
  // way.
  const block = parseBlock(fromHex(lines[2]!), crypto);
  const challenge = Uint8Array.from(params.signetChallenge);
  challenge[10] ^= 1;
  const other = { ...params, signetChallenge: challenge };
  t.equal(checkBlock(block, other, crypto)?.reason, 'bad-signet-blksig');
  t.equal(checkBlock(block, other, crypto, { checkPow: false }), null, 'proposals need no signature');
});

fileSuite('chains/regtest-getblockstats.json', (t) => {
  const { blocks } = readJson<{ blocks: string[] }>('chains/regtest-getblockstats.json');
  const chain = connectAll(t, 'regtest', blocks);
  t.equal(chain.tip.height, blocks.length - 1);
});

fileSuite('chains/main-reorg-btcd.json', (t) => {
  const file = readJson<Record<string, string[] | string>>('chains/main-reorg-btcd.json');
  const common = [file.blk_0_to_4].flat();
  const branch = ['blk_3A', 'blk_4A', 'blk_5A'].flatMap((name) => file[name]);
  const work = (lines: string[]) => lines.reduce((sum, line) => sum + blockProof(parseBlock(fromHex(line), crypto).header.bits), 0n);
  t.equal(connectAll(t, 'main', common, false).tip.height, 4);
  t.equal(connectAll(t, 'main', [...common.slice(0, 3), ...branch], false).tip.height, 5);
  // Under the real rule the first spend comes far too early.
  const strict = new ModelChain('main');
  t.equal(strict.connect(parseBlock(fromHex(common[1]), crypto)), null);
  t.equal(strict.connect(parseBlock(fromHex(common[2]), crypto)), 'bad-txns-premature-spend-of-coinbase');
  t.ok(work(branch) > work(common.slice(3)), 'the branch has more work');
  t.notOk(work(branch.slice(0, 2)) > work(common.slice(3)), 'before its last block it has not');
});
