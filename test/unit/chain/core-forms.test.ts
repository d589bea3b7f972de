// Tests coins that pay to uncompressed keys and have the form of Core's snapshots and chainstate, which Adit never
// writes. Blocks that spend them get the same verdicts from script threads as with Adit's own form, also when such a
// block is disconnected and connected again.

import t from 'tap';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { WorkPool } from '../../../src/parallel/pool.js';
import { PooledVerifier } from '../../../src/parallel/pooled-verifier.js';
import { PREFIX, prefixRange } from '../../../src/storage/layout.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { Store } from '../../../src/storage/store.js';
import { ANYONE, type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { coinsOf, crypto, openFixture } from '../../framework/chain-fixture.js';
import { type TestKey, testKey } from '../../framework/keys.js';
import { serializeTx, type Tx } from '../../framework/messages.js';

const KEYS = 4;
const keys = Array.from({ length: 12 }, (_, n) => testKey(n));
const yOf = (key: TestKey): number => key.uncompressed[64]! & 1;
/** Half of the keys have an even y, half an odd one. */
const owners = [0, 1].flatMap((odd) => keys.filter((key) => yOf(key) === odd).slice(0, KEYS / 2));
const scriptOf = (key: TestKey): Buffer => Buffer.from([65, ...key.uncompressed, 0xac]);

const trunk: BuiltBlock[] = [];
for (let i = 0; i < KEYS + 101; i++) {
  const owner = owners[i];
  trunk.push(buildBlock(trunk.at(-1) ?? GENESIS, owner === undefined ? {} : { script: scriptOf(owner) }));
}
const tip = trunk.at(-1)!;

/**
 * Builds a transaction that spends the first rewards with one signature each.
 * @param wrong index of an input whose signature belongs to another input
 */
function payment(wrong = -1): Tx {
  const coins = trunk.slice(0, KEYS).map(reward);
  const tx = spend(coins, [{ value: coins.reduce((sum, { value }) => sum + value, 0), script: ANYONE }]);
  const sighashes = new SighashCache(parseTx(new Uint8Array(serializeTx(tx)), crypto), crypto);
  for (const [i, input] of tx.ins.entries()) {
    const signature = owners[i]!.signForScript(sighashes.legacy(i === wrong ? i - 1 : i, scriptOf(owners[i]!), 1), 1);
    input.script = Buffer.from([signature.length, ...signature]);
  }
  return tx;
}

/** Adit's form: the varint 73, which means a script of 67 bytes without compression, and the script. */
const OUR_FORM = 1 + 67;

/** Rewrites the rows of coins that pay to uncompressed keys as Core would write them. @returns the number of rows */
async function rewrite(store: Store): Promise<number> {
  let rows = 0;
  for await (const [key, value] of store.iterate(prefixRange(PREFIX.coin))) {
    const at = value.length - OUR_FORM;
    if (at < 2 || value[at] !== 73 || value[at + 1] !== 65) continue;
    const script = value.subarray(at + 1);
    const form = 4 + (script[65]! & 1);
    await store.batch([{ type: 'put', key, value: Uint8Array.from([...value.subarray(0, at), form, ...script.subarray(2, 34)]) }]);
    rows++;
  }
  return rows;
}

t.test('validates spends of uncompressed-key coins in the stored forms of Core', async (t) => {
  const pool = new WorkPool({ threads: 2 });
  t.teardown(() => pool.close());
  const next = buildBlock(tip, { txs: [payment()] });
  const received = async (isRewritten: boolean) => {
    const store = new MemoryStore();
    const fixture = await openFixture({ store, verifier: new PooledVerifier(pool), coinsCacheBytes: 1 });
    const { chain } = fixture;
    const verdicts: string[] = [];
    chain.events.checked.add((_hash, _block, reject) => verdicts.push(reject?.reason ?? 'valid'));
    for (const { bytes } of trunk) await chain.commands.submitBlock(new Uint8Array(bytes));
    const forget = async () => {
      await chain.commands.flush();
      for (let i = 0; i < 3; i++) chain.view.coins.evict();
      t.equal(chain.view.coins.stats().entries, 0, 'all are in the store alone');
    };
    await forget();
    if (isRewritten) t.equal(await rewrite(store), KEYS);
    verdicts.length = 0;
    for (let wrong = 1; wrong < KEYS; wrong++) {
      await chain.commands.submitBlock(new Uint8Array(buildBlock(tip, { txs: [payment(wrong)], tag: wrong }).bytes));
    }
    await chain.commands.submitBlock(new Uint8Array(next.bytes));
    const first = chain.view.tip.hashHex;
    const spent = await coinsOf(fixture);
    await chain.commands.invalidateBlock(chain.view.tip);
    const back = await coinsOf(fixture);
    await forget();
    await chain.commands.reconsiderBlock(chain.view.node(next.hash)!);
    t.equal(chain.view.tip.hashHex, first, 'it is put on again');
    const result = { verdicts, first, spent, back, again: await coinsOf(fixture), faults: fixture.faults };
    await fixture.end();
    return result;
  };
  const ours = await received(false);
  t.equal(ours.first, next.hashHex);
  t.equal(ours.verdicts.filter((verdict) => verdict === 'valid').length, 1 + 1, 'the block, and once more');
  t.equal(ours.verdicts.length, KEYS + 1);
  t.same(await received(true), ours);
});
