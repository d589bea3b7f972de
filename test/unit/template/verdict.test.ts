// Why a transaction is in the template or not, in both modes: every verdict, the exact distance to the cut, and random
// pools.
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { equalBytes } from '../../../src/consensus/bytes/hex.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { VersionBitsCache } from '../../../src/consensus/rules/versionbits.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { TemplateOptions } from '../../../src/template/options.js';
import { TemplateService } from '../../../src/template/service.js';
import { templateVerdict } from '../../../src/template/verdict.js';
import { fc } from '../../framework/fast-check.js';
import { HandSlabs } from '../../framework/hand-slabs.js';
import { InlineAssembler } from '../../framework/inline-assembler.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);

function rig(options: Partial<TemplateOptions> = {}) {
  const { chain, clock, pool } = createPool({ policy: NO_POLICY });
  const timers: (() => void)[] = [];
  const service = new TemplateService(
    { minFeeRate: 0, ...options },
    {
      chain: {
        params: chainParams('regtest'),
        get tip() {
          return chain.tip;
        },
        testBlockValidity: async () => null,
      },
      mempool: pool,
      assembler: new InlineAssembler({ hashes: crypto, now: () => performance.now() }),
      slabs: new HandSlabs(),
      clock,
      hashes: crypto,
      versionBits: new VersionBitsCache(),
      log: silentLogger,
      epoch: () => 0,
      after: (_ms, run) => {
        timers.push(run);
        return () => void (timers.includes(run) && timers.splice(timers.indexOf(run), 1));
      },
    },
  );
  t.teardown(() => service.close());
  chain.onTip(() => service.onTip());
  pool.listen({ added: (entry) => service.onEntered(entry), removed: () => service.onRanked(), changed: () => service.onRanked() });
  const accept = async (tx: TxView): Promise<TxView> => {
    const { reject } = await pool.accept(tx);
    if (reject !== null) throw new Error(reject.reason);
    return tx;
  };
  /** Spends a fresh coin, or an output of another; `outputs` of the same script make it larger. */
  const pay = (fee: number, { parent, outputs = 1, sequence }: { parent?: TxView; outputs?: number; sequence?: number } = {}) => {
    const value = parent === undefined ? 100_000 : parent.outputValue(0);
    const from = parent === undefined ? chain.fund(100_000) : outpointOf(parent, 0);
    const rest = Array.from({ length: outputs - 1 }, () => ({ value: 1, script: PADDED }));
    const first = { value: value - fee - rest.length, script: PADDED };
    return accept(spend(crypto, [from], [first, ...rest], sequence === undefined ? {} : { sequence }));
  };
  /** The template as a build would make it now. */
  const build = async (): Promise<void> => {
    const turns = async (): Promise<void> => {
      for (let k = 0; k < 10; k++) await new Promise((resolve) => setImmediate(resolve));
    };
    clock.seconds += 6;
    await service.refresh();
    // Mode live builds by itself, when its pauses are over.
    for (let i = 0; i < 4; i++) {
      for (const run of timers.splice(0)) run();
      await turns();
    }
    // In the pause after this one nothing is built.
    service.onRanked();
    await turns();
  };
  const verdict = ({ txid }: TxView) => service.verdict(txid)?.verdict ?? null;
  return { chain, clock, pool, service, pay, build, verdict, accept };
}

for (const mode of ['core', 'live'] as const) {
  t.test(`mode ${mode}: tells whether a transaction is in the template, newer, or absent`, async (t) => {
    const { chain, clock, pool, service, pay, build, verdict } = rig({ mode });
    const a = await pay(2_000);
    if (mode === 'core') t.equal(verdict(a), null, 'there is no template');
    await build();
    t.match(verdict(a), { verdict: 'included', position: 1 });
    // The first payment leaves the mempool because of its age.
    clock.seconds += 15 * 24 * 60 * 60;
    const late = await pay(9_000);
    t.equal(pool.has(a.txid), false);
    t.same(verdict(late), { verdict: 'pending', reason: 'newer' });
    t.same(service.verdict(new Uint8Array(32))?.verdict, { verdict: 'absent' });
    // A transaction that left the mempool is in the template until the next one.
    t.match(verdict(a), { verdict: 'included', position: 1 });
    chain.connect([]);
    if (mode === 'core') t.equal(verdict(late), null, 'nothing is handed out for the new tip');
    else t.same(verdict(late), { verdict: 'pending', reason: 'empty-template' });
  });

  t.test(`mode ${mode}: names the filter that excluded a transaction`, async (t) => {
    const { pool, pay, build, verdict, service } = rig({ mode, minFeeRate: 5_000 });
    const poor = await pay(100);
    const rich = await pay(2_000);
    pool.prioritise(rich.txid, -1_950);
    await build();
    t.match(verdict(poor), { verdict: 'filtered', reason: 'blockmintxfee', pack: { fee: 100, txids: [poor.txid] } });
    t.match(verdict(rich), { verdict: 'filtered', reason: 'prioritised', pack: { fee: 50 } });
    const template = service.verdict(poor.txid)!.template;
    const locked = rig({ mode, minFeeRate: 5_000 });
    const due = spend(crypto, [locked.chain.fund(100_000)], [{ value: 90_000, script: PADDED }], { locktime: 200, sequence: 0 });
    await locked.accept(due);
    const look = (height: number) => templateVerdict(locked.pool.records, { ...template, height, youngest: 5 }, due.txid);
    t.match(look(200), { verdict: 'filtered', reason: 'non-final' });
    t.match(look(201), { verdict: 'pending', reason: 'changed' }, 'nothing else is in its way');
    // A child pays for a parent that would be filtered by itself.
    const child = await pay(3_000, { parent: poor });
    await build();
    t.equal(verdict(poor)?.verdict, 'included');
    t.equal(verdict(child)?.verdict, 'included');
  });

  t.test(`mode ${mode}: names the missing fee or the lack of space when a block is full`, async (t) => {
    // Weight for three ordinary transactions of about 370 units, and a little more.
    const { pool, pay, build, verdict, service } = rig({ mode, maxWeight: 5_300 });
    const taken = [await pay(9_000), await pay(8_000), await pay(7_000)];
    const below = await pay(6_000);
    const large = await pay(80_000, { outputs: 20 });
    const parent = await pay(100);
    const child = await pay(5_000, { parent });
    await build();
    for (const tx of taken) t.equal(verdict(tx)?.verdict, 'included');
    const { template } = service.verdict(below.txid)!;
    const weight = taken[0].weight;
    t.same(template.cut, { fee: 7_000, size: mode === 'core' ? 4 * taken[0].vsize : weight });
    t.match(verdict(below), { verdict: 'below-cut', missingSats: 1_000n, pack: { fee: 6_000, txids: [below.txid] } });
    t.match(verdict(large), { verdict: 'no-room', reason: 'weight' });
    const together = verdict(child);
    t.match(together, { verdict: 'below-cut', pack: { fee: 5_100 } });
    if (together?.verdict === 'below-cut') {
      t.ok(equalBytes(together.pack.txids[0], parent.txid) && equalBytes(together.pack.txids[1], child.txid), 'parents first');
    }
    // The reply names the missing satoshis, and the operator adds them.
    pool.prioritise(below.txid, 1_001);
    await build();
    t.equal(verdict(below)?.verdict, 'included');
    t.match(verdict(taken[2]), { verdict: 'below-cut', missingSats: 1n });
  });

  t.test(`mode ${mode}: agrees with the template for random mempools`, async () => {
    const fees = fc.array(fc.record({ fee: fc.integer({ min: 0, max: 20_000 }), on: fc.option(fc.nat(30)) }), {
      minLength: 1,
      maxLength: 14,
    });
    await fc.assert(
      fc.asyncProperty(fees, fc.integer({ min: 4_000, max: 9_000 }), async (list, maxWeight) => {
        const { pay, build, service } = rig({ mode, maxWeight });
        const txs: TxView[] = [];
        const spent = new Set<TxView>();
        for (const { fee, on } of list) {
          const parent = on === null ? undefined : txs[on % Math.max(1, txs.length)];
          const free = parent !== undefined && !spent.has(parent) && parent.outputValue(0) > fee;
          if (free) spent.add(parent);
          txs.push(await pay(fee, free ? { parent } : {}));
        }
        await build();
        const included = new Set<TxView>();
        const positions = new Set<number>();
        for (const tx of txs) {
          const { verdict, template } = service.verdict(tx.txid)!;
          if (verdict.verdict === 'included') {
            included.add(tx);
            positions.add(verdict.position);
            continue;
          }
          // Nothing changed since the build, so that never is the reason; and rules keep nothing out here.
          if (verdict.verdict !== 'below-cut' && verdict.verdict !== 'no-room') throw new Error(`${verdict.verdict}`);
          const { fee, size } = verdict.pack;
          const { cut } = template;
          if (verdict.verdict !== 'below-cut') continue;
          const reaches = (sats: bigint) => (BigInt(fee) + sats) * BigInt(cut!.size) >= BigInt(cut!.fee) * BigInt(size);
          if (!reaches(verdict.missingSats) || reaches(verdict.missingSats - 1n)) throw new Error('not the least that is missing');
        }
        for (let i = 1; i <= included.size; i++) if (!positions.has(i)) throw new Error(`no transaction at ${i}`);
      }),
      { numRuns: 60 },
    );
  });
}
