// Order and content of messages to clients of miners: prepared templates and the tips to which they belong, fees,
// reserves, initial download. A template maker with spelled-out choices takes the place of the real one.
import t from 'tap';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { silentLogger } from '../../../src/log/logger.js';
import { reserveKey, type WorkNews } from '../../../src/mining/messages.js';
import { Provider } from '../../../src/mining/provider.js';
import { reserveFor } from '../../../src/sv2/reserve.js';
import { nothingChosen } from '../../../src/template/assembly.js';
import type { TemplateTip } from '../../../src/template/source.js';
import type { TipFacts } from '../../../src/template/tip-facts.js';

const LEAST = { weight: 4000, sigops: 400 };
const MAX_WEIGHT = 3_996_000;

interface FakeTip {
  readonly prev: FakeTip | null;
  readonly height: number;
  readonly hash: Uint8Array;
}
let named = 0;
const tipOn = (prev: FakeTip | null): FakeTip => ({ prev, height: (prev?.height ?? 0) + 1, hash: new Uint8Array(32).fill(++named) });

/** A provider with a hand on everything it depends on. */
class World {
  readonly posted: WorkNews[] = [];
  tip = tipOn(null);
  version = 0x20000000;
  wanted = true;
  nowMs = 1_000_000;
  easy: TipFacts['minDifficulty'] = null;
  fees = 0;
  transactions = 0;
  /** Weight of the transactions alone. */
  weight = 0;
  readonly asked: { weight: number; sigops: number }[] = [];
  readonly timers: { readonly atMs: number; readonly run: () => void }[] = [];
  readonly provider: Provider;

  constructor() {
    const world = this;
    this.provider = new Provider(
      { name: 'Stratum V2', intervalMs: 5000, feeDelta: 1000, maxWeight: MAX_WEIGHT, leastReserve: LEAST },
      {
        params: regtestParams(),
        hashes: createNativeHashes(),
        log: silentLogger,
        wanted: () => world.wanted,
        post: (message) => world.posted.push(message),
        clock: { nowMs: () => world.nowMs, nowSeconds: () => Math.floor(world.nowMs / 1000), monotonicMs: () => world.nowMs },
        after: (ms, run) => {
          const timer = { atMs: world.nowMs + ms, run };
          world.timers.push(timer);
          return () => {
            const at = world.timers.indexOf(timer);
            if (at >= 0) world.timers.splice(at, 1);
          };
        },
        templates: {
          get tip() {
            return { tip: world.tip as unknown as TemplateTip, facts: world.facts() };
          },
          choose: async (reserve) => {
            world.asked.push(reserve);
            const weight = Math.min(world.weight, MAX_WEIGHT - reserve.weight);
            const records = { ...nothingChosen(0).records, length: world.transactions };
            const chosen = { ...nothingChosen(reserve.weight + weight), fees: world.fees, records } as ReturnType<typeof nothingChosen>;
            return { tip: world.tip as unknown as TemplateTip, facts: world.facts(), chosen };
          },
        },
      },
    );
  }

  facts(): TipFacts {
    const { height } = this.tip;
    const shown = { height: height + 1, version: this.version, subsidy: 5_000_000_000, segwitActive: true };
    return { ...shown, minTime: 1, bits: 0x1d00ffff, minDifficulty: this.easy } as unknown as TipFacts;
  }

  /** A block of this parent becomes the tip. */
  block(prev: FakeTip = this.tip): void {
    this.tip = tipOn(prev);
    this.provider.onTip(1);
  }

  /** Messages since the last look, in short. */
  async news(): Promise<string[]> {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    return this.posted.splice(0).map((message) => {
      if (message.kind === 'tip') return message.template === null ? 'tip by the staged one' : 'tip with a template';
      if (message.kind === 'share') return `share ${message.keys.join(',')}`;
      return message.kind;
    });
  }

  /** @param fee of a transaction that comes */
  pays(fee: number): void {
    this.fees += fee;
    this.transactions++;
    this.weight += 400;
    this.provider.onEntered(fee);
  }

  passes(ms: number): void {
    this.nowMs += ms;
    for (const timer of this.timers.filter(({ atMs }) => atMs <= this.nowMs)) {
      this.timers.splice(this.timers.indexOf(timer), 1);
      timer.run();
    }
  }
}

const KEY = reserveKey(LEAST);

t.test('announces a tip with the staged template only if that was staged for this tip', async (t) => {
  const world = new World();
  world.provider.onTip(null);
  t.same(await world.news(), ['tip with a template'], 'nothing is built while there are no clients');
  t.equal(world.asked.length, 0);
  world.provider.setNeeds([LEAST]);
  t.same(await world.news(), [`share ${KEY}`, 'stage'], 'no transactions: the empty one is the full one');
  world.block();
  t.same(await world.news(), ['tip by the staged one', `share ${KEY}`, 'stage']);
  world.pays(10);
  world.block();
  t.same(await world.news(), ['tip by the staged one', 'template', `share ${KEY}`, 'stage'], 'the full one before the next staged one');
  const fork = world.tip.prev as FakeTip;
  world.block(tipOn(fork));
  t.same((await world.news())[0], 'tip with a template', 'a branch of the same height');
  world.version = 0x30000000;
  world.block();
  t.same((await world.news())[0], 'tip with a template', 'another version than was foreseen');
  world.block();
  t.same((await world.news())[0], 'tip by the staged one');
  world.tip = fork;
  world.provider.onTip(1);
  t.same((await world.news())[0], 'tip with a template', 'a block was taken off');
});

t.test('sends a new template after enough new fees, and not before the interval is over', async (t) => {
  const world = new World();
  world.provider.setNeeds([LEAST]);
  await world.news();
  world.pays(900);
  world.passes(60_000);
  t.same(await world.news(), [], 'below the step');
  world.pays(200);
  world.passes(0);
  t.same(await world.news(), ['template', `share ${KEY}`], 'at once, as the last one is old');
  world.pays(5000);
  world.passes(4999);
  t.same(await world.news(), [], 'not before the interval is over');
  world.passes(1);
  t.same(await world.news(), ['template', `share ${KEY}`]);
  world.fees -= 800;
  world.pays(1200);
  world.passes(5000);
  t.same(await world.news(), [], 'what came replaced something: the template pays too little more');
});

t.test('builds separate templates for larger coinbase reserves when the block is full', async (t) => {
  const world = new World();
  world.pays(10);
  const large = { weight: 100_000, sigops: 400 };
  world.provider.setNeeds([LEAST, large]);
  t.same(await world.news(), ['tip with a template', 'template', `share ${KEY},${reserveKey(large)}`, 'stage'], 'one block for both');
  world.weight = MAX_WEIGHT;
  world.block();
  t.same(await world.news(), ['tip by the staged one', 'template', `share ${KEY}`, 'template', `share ${reserveKey(large)}`, 'stage']);
  t.same(world.asked.slice(-2), [LEAST, large], 'a full block: one of its own');
  const larger = { weight: 200_000, sigops: 800 };
  world.provider.setNeeds([LEAST, large, larger]);
  t.same(await world.news(), ['template', `share ${reserveKey(larger)}`], 'a client that comes later');
  world.provider.setNeeds([]);
  world.block();
  t.same(await world.news(), ['tip by the staged one'], 'nothing is built for nothing');

  t.same(reserveFor({ maxAdditionalSize: 100, maxAdditionalSigops: 4 }, LEAST, MAX_WEIGHT), LEAST);
  t.same(reserveFor({ maxAdditionalSize: 708, maxAdditionalSigops: 400 }, LEAST, MAX_WEIGHT), LEAST, '1168 + 4 x 708 is 4000');
  t.same(reserveFor({ maxAdditionalSize: 709, maxAdditionalSigops: 401 }, LEAST, MAX_WEIGHT), { weight: 5650, sigops: 522 });
  t.equal(reserveFor({ maxAdditionalSize: 998_709, maxAdditionalSigops: 0 }, LEAST, MAX_WEIGHT), null, 'beyond a block');
  t.match(reserveFor({ maxAdditionalSize: 998_708, maxAdditionalSigops: 65_535 }, LEAST, MAX_WEIGHT), { weight: 3_996_000 });
});

t.test('builds at most 21 templates per tip, however many different constraints clients have', async (t) => {
  const reserves = new Map<string, { weight: number; sigops: number }>();
  for (let size = 0; size <= 998_708; size += 97) {
    for (const sigops of [0, 400, 4_000, 65_535]) {
      const reserve = reserveFor({ maxAdditionalSize: size, maxAdditionalSigops: sigops }, LEAST, MAX_WEIGHT)!;
      if (reserve.weight < 1_168 + 4 * size || reserve.sigops < sigops || reserve.weight > MAX_WEIGHT) t.fail(`${size}/${sigops}`);
      if (reserve.weight > Math.max(5_650, 1.42 * (1_168 + 4 * size)) && sigops <= 400) t.fail(`${size} reserves ${reserve.weight}`);
      reserves.set(reserveKey(reserve), reserve);
    }
  }
  t.equal(reserves.size, 21);
  t.match(reserveFor({ maxAdditionalSize: 100_000, maxAdditionalSigops: 12_000 }, LEAST, MAX_WEIGHT), { weight: 503_218, sigops: 16_323 });

  const world = new World();
  const built = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  world.pays(10);
  world.weight = MAX_WEIGHT;
  world.provider.setNeeds([...reserves.values()]);
  await built();
  t.equal(world.asked.length, 21);
  // Clients change their constraints all the time.
  for (let i = 0; i < 100; i++) {
    world.provider.setNeeds([[...reserves.values()][i % 21]!]);
    await built();
  }
  t.equal(world.asked.length, 21);
  world.block();
  await built();
  t.equal(world.asked.length, 23, 'on a new tip: the standard one, and what is needed now');
});

t.test('sends a whole template to a new serving thread', async (t) => {
  const world = new World();
  world.provider.setNeeds([LEAST]);
  world.pays(2000);
  world.passes(5000);
  await world.news();
  world.provider.onNewThread();
  t.same(await world.news(), ['tip with a template'], 'it has none that could be named');
  world.block();
  t.same(await world.news(), ['tip with a template'], 'and nothing staged');
  world.provider.setNeeds([LEAST]);
  t.same(await world.news(), ['template', `share ${KEY}`, 'stage']);
});

t.test('lowers the difficulty twenty minutes after a block on test networks', async (t) => {
  const world = new World();
  world.nowMs = 1_700_000_000_500;
  const seconds = 1_700_000_000;
  // The tip's time and 1,200 seconds; from the second after that its bits are the least.
  world.easy = { afterTime: seconds + 100, bits: 0x207fffff };
  world.provider.setNeeds([LEAST]);
  const tips = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return world.posted.splice(0).flatMap((one) => (one.kind === 'tip' ? [{ ...one.tip, template: one.template !== null }] : []));
  };
  t.match(await tips(), [{ bits: 0x1d00ffff, headerTimestamp: seconds, target: 0xffffn << 208n, template: true }]);
  t.same(
    world.timers.map(({ atMs }) => atMs - world.nowMs),
    [101_000],
  );
  world.passes(100_999);
  t.same(await tips(), []);
  world.passes(1);
  t.match(await tips(), [{ bits: 0x207fffff, headerTimestamp: seconds + 101, target: 0x7fffffn << 232n }]);
  t.same(world.timers, [], 'said once');
  // A block comes: the next one is hard again, and nothing of the last one's time is left.
  world.easy = { afterTime: seconds + 101 + 1200, bits: 0x207fffff };
  world.block();
  t.match(await tips(), [{ bits: 0x1d00ffff, headerTimestamp: seconds + 101 }]);
  t.equal(world.timers.length, 1);
  world.easy = null;
  world.block();
  t.match(await tips(), [{ bits: 0x1d00ffff }]);
  t.same(world.timers, []);
});

t.test('holds clients during the initial block download', async (t) => {
  const world = new World();
  world.wanted = false;
  world.provider.setNeeds([LEAST]);
  world.block();
  t.same(await world.news(), [], 'clients wait');
  world.wanted = true;
  world.block();
  t.same(await world.news(), ['tip with a template', `share ${KEY}`, 'stage']);
  world.wanted = false;
  world.block();
  t.same(await world.news(), ['hold']);
  world.provider.close();
  world.wanted = true;
  world.block();
  t.same(await world.news(), []);
});
