// Real blocks with the coins they spend: connecting gives the recorded fees, sigop cost and undo coins, and the
// coinbase takes exactly subsidy and fees. Blocks that begin a period also test retargeting. (blocks-scripts.test.ts
// tests their scripts.)

import { parseBlock } from '../../src/consensus/block/block-view.js';
import { fromHex, hashToHex, toHex } from '../../src/consensus/bytes/hex.js';
import { connectBlock } from '../../src/consensus/connect.js';
import { retargetInterval } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { blockProof, decodeCompact, encodeCompact } from '../../src/consensus/rules/bits.js';
import { blockScriptFlags } from '../../src/consensus/rules/block-script-flags.js';
import { outputTotal } from '../../src/consensus/rules/check-transaction.js';
import { requiredBits } from '../../src/consensus/rules/required-bits.js';
import { blockSubsidy } from '../../src/consensus/rules/subsidy.js';
import { VersionBitsCache } from '../../src/consensus/rules/versionbits.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { encodeCoin } from '../../src/storage/codec/coin.js';
import { encodeUndo } from '../../src/storage/codec/undo.js';
import { factsOf, KernelWithoutThreads } from '../framework/engine-kernel.js';
import { ModelCoins, ModelNode } from '../framework/law-model.js';
import { filesSuite, readJson, readVector, vectorPath } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();
const kernel = await KernelWithoutThreads.create(3);
const FOLDER = 'blocks/with-spent-outputs';

interface ChainState {
  block_height: number;
  total_work: string;
  current_target: string;
  epoch_start_time: number;
  prev_timestamps: number[];
}

interface Facts {
  network: 'main' | 'test';
  height: number;
  hash: string;
  fees: number;
  subsidy: number;
  coinbaseValue: number;
  sigopsCost: number;
  inputsSpendingSameBlock: number;
  spentFields: string[];
  spent: (number | string | boolean)[][];
  chainStateBefore?: ChainState;
  chainStateAfter?: ChainState;
}

/** The eleven blocks before this one, with the recorded times where there are some. */
function parentOf(facts: Facts, bits: number, time: number, prevHash: Uint8Array): ModelNode {
  const times = facts.chainStateBefore?.prev_timestamps ?? Array.from({ length: 11 }, (_, i) => time - 6600 + i * 600);
  let node: ModelNode | null = null;
  times.forEach((stamp, i) => {
    node = new ModelNode(node, stamp, bits, 4, prevHash, facts.height - times.length + i);
  });
  if (node === null) throw new Error('no times');
  return node;
}

filesSuite(FOLDER, /^(?!index\.json$).*\.json$/, 'connected', (t, name) => {
  const blockFile = `${FOLDER}/${name.replace(/json$/, 'bin')}`;
  if (vectorPath(blockFile) === null) return void t.pass(name, { skip: `${blockFile} is not there` });
  const facts = readJson<Facts>(`${FOLDER}/${name}`);
  const params = chainParams(facts.network);
  const block = parseBlock(readVector(blockFile), crypto, { exact: true });
  t.equal(hashToHex(block.hash), facts.hash);
  const before = facts.chainStateBefore;
  const bits = before === undefined ? block.header.bits : encodeCompact(BigInt(before.current_target));
  const parent = parentOf(facts, bits, block.header.time, block.header.prevHash);

  const column = (field: string) => facts.spentFields.indexOf(field);
  const coins = new ModelCoins();
  const own = new Set(block.txs.map((tx) => toHex(tx.txid)));
  let row = 0;
  let sameBlock = 0;
  for (const tx of block.txs.slice(1)) {
    for (let i = 0; i < tx.inputCount; i++) {
      const entry = facts.spent[row++];
      if (own.has(toHex(tx.prevHash(i)))) {
        sameBlock++;
        continue;
      }
      coins.set(tx.prevHash(i), tx.prevIndex(i), {
        value: Number(entry[column('value')]),
        script: fromHex(String(entry[column('scriptPubKey')])),
        // Without recorded heights: old enough for everything.
        height: column('height') >= 0 ? Number(entry[column('height')]) : 0,
        coinbase: column('isCoinbase') >= 0 ? Boolean(entry[column('isCoinbase')]) : false,
      });
    }
  }
  t.equal(row, facts.spent.length);
  t.equal(sameBlock, facts.inputsSpendingSameBlock);

  // Relative locks ask for ancestors that the file does not have, so blocks after BIP-0068 are connected without them.
  const lockless = { ...params, csvHeight: 0x7fffffff };
  const flags = blockScriptFlags(parent, block.hash, params, new VersionBitsCache());
  const result = connectBlock(block, parent, lockless, coins, { flags });
  t.equal(result.verdict, null);
  t.equal(result.fees, facts.fees);
  t.equal(result.sigopCost, facts.sigopsCost);
  t.equal(blockSubsidy(facts.height, params), facts.subsidy);
  t.equal(outputTotal(block.txs[0]), facts.coinbaseValue);
  t.equal(result.scriptTxs, block.txs.length);
  t.same(
    result.spentByTx.flat().map((coin) => [coin.value, toHex(coin.script)]),
    facts.spent.map((entry) => [entry[column('value')], entry[column('scriptPubKey')]]),
    'undo coins in input order',
  );

  // The download engine's kernel gives the same fees, cost and undo data.
  const stored = new Map([...coins.map].map(([outpoint, coin]) => [outpoint, encodeCoin(coin)]));
  const ours = kernel.run(factsOf(parent, block.hash, block.header.time, lockless), block.bytes, stored, []);
  t.strictSame([ours.rejected, ours.fees, ours.sigopCost], [null, facts.fees, facts.sigopsCost]);
  t.equal(toHex(ours.undo), toHex(encodeUndo(result.spentByTx.slice(1))));

  // One satoshi more to the miner is too much; one coin less is missed.
  const tight = connectBlock(block, parent, { ...lockless, halvingInterval: facts.height / 64 }, coins, { flags });
  t.equal(tight.verdict?.reason, 'bad-cb-amount');
  const [first] = coins.map.keys();
  if (first !== undefined) {
    coins.map.delete(first);
    const poor = connectBlock(block, parent, lockless, coins, { flags });
    t.equal(poor.verdict?.reason, 'bad-txns-inputs-missingorspent');
    t.equal(poor.spentByTx.length, poor.scriptTxs);
  }

  const after = facts.chainStateAfter;
  if (before === undefined || after === undefined) return;
  t.equal(BigInt(after.total_work) - BigInt(before.total_work), blockProof(block.header.bits), 'work');
  t.equal(decodeCompact(block.header.bits).target, BigInt(after.current_target), 'target');
  if (facts.height % retargetInterval(params) === 0) {
    const first = new ModelNode(null, before.epoch_start_time, bits, 4, block.header.prevHash, facts.height - 2016);
    const last = new ModelNode(first, before.prev_timestamps[10], bits, 4, block.header.prevHash, facts.height - 1);
    t.equal(requiredBits(last, block.header.time, params), block.header.bits, 'retarget');
  }
});
