// Tests difficulty: that of a hash, the start value by the miner's user agent, the value a miner requests, and the
// changes by vardiff.
import t from 'tap';
import { hashToBigint } from '../../../src/consensus/rules/bits.js';
import {
  difficultyOfHash,
  difficultyOfTarget,
  difficultyOfTargetHex,
  meets,
  powerOfTwo,
  sendable,
} from '../../../src/stratum/pace/difficulty.js';
import { difficultyInPassword, paceOf, SessionPace } from '../../../src/stratum/pace/session-pace.js';
import { Vardiff } from '../../../src/stratum/pace/vardiff.js';
import { fc } from '../../framework/fast-check.js';

const fromDisplay = (hex: string): Buffer => Buffer.from(hex, 'hex').reverse();
const OPTIONS = { startDifficulty: 1024, leastDifficulty: 1, mostDifficulty: 2 ** 40, sharesPerMinute: 8 };

t.test('measures hashes and targets', async (t) => {
  // The genesis block.
  const genesis = fromDisplay('000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f');
  t.equal(Math.floor(difficultyOfHash(genesis)), 2536);
  t.equal(difficultyOfHash(fromDisplay(`00000000ffff${'00'.repeat(26)}`)), 1);
  t.equal(difficultyOfTarget(0xffffn << 208n), 1);
  t.equal(difficultyOfTarget(0xffffn << 198n), 1024);
  t.ok(difficultyOfHash(new Uint8Array(32)) > 1e60, 'zero is no division by zero');
  t.equal(difficultyOfTargetHex(`00000000ffff${'00'.repeat(26)}`), 1);
  for (const bad of ['', 'ffff', '0'.repeat(64), 'g'.repeat(64)]) t.equal(difficultyOfTargetHex(bad), null);
});

t.test('agrees with exact arithmetic to nine digits', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.integer({ min: 0, max: 20 }), (bytes, zeros) => {
      const hash = Buffer.from(bytes).fill(0, 32 - zeros);
      hash[0] = 1;
      const exact = Number((0xffffn << 500n) / hashToBigint(hash)) / 2 ** 292;
      return Math.abs(difficultyOfHash(hash) / exact - 1) < 1e-9;
    }),
  );
});

t.test('forgives a share the rounding of doubles', async (t) => {
  t.ok(meets(1024, 1024));
  t.ok(meets(1024 * (1 - 1e-10), 1024));
  t.notOk(meets(1023.9, 1024));
});

t.test('sends whole numbers from 1 up and powers of two below', async (t) => {
  t.same([16383.75, 1000, 1, 0.3, 0.00015].map(sendable), [16383, 1000, 1, 0.25, 2 ** -13]);
  t.same([1, 1.4, 1.5, 700, 0.3].map(powerOfTwo), [1, 1, 2, 512, 0.25]);
});

t.test('knows small devices, processors and marketplaces by their agents', async (t) => {
  const standard = { start: 1024, floor: 1 };
  const pace = (agent: string) => Object.values(paceOf(agent, standard));
  t.same(pace(''), [1024, 1, false]);
  for (const agent of ['bitaxe/BM1370/v2.9.0', 'cgminer/4.11.1', 'whatsminer/v1.1', 'bosminer-plus-tuner 2023'])
    t.same(pace(agent), [1024, 1, false]);
  for (const agent of ['NerdMinerV2', 'SparkMiner/1.0']) t.same(pace(agent), [2 ** -13, 2 ** -16, false]);
  for (const agent of ['cpuminer/2.5.1', 'cpuminer-opt-24.5-x86_64L']) t.same(pace(agent), [2 ** -4, 2 ** -13, false]);
  t.same(pace('NiceHash/1.0.0'), [524288, 524288, true]);
});

t.test('reads difficulties out of passwords', async (t) => {
  const read = (password: string) => difficultyInPassword(password, 8);
  t.equal(read('x'), null);
  t.equal(read(''), null);
  t.equal(read('d=2048'), 2048);
  t.equal(read('x,D=512'), 512);
  t.equal(read('x diff=0.001;md=4'), 0.001);
  // A miner with 100 TH/s finds a share of difficulty 174,623 every 7.5 seconds.
  t.equal(Math.round(read('th=100') as number), 174_623);
  for (const bad of ['d=', 'd=x', 'd=-1', 'd=0', 'd=1e999', 'pd=5', `${' '.repeat(128)}d=5`]) t.equal(read(bad), null, bad);
});

t.test('survives a clock that jumps: the difficulty changes by one step at most', async (t) => {
  for (const jumpMs of [-86_400_000, -1_000, 86_400_000, 10 * 365 * 86_400_000]) {
    const vardiff = new Vardiff(8, 2 ** 40);
    vardiff.restart(1024, 1, 0);
    let nowMs = 0;
    const share = (): string => {
      nowMs += 7_500;
      vardiff.onShare(1024);
      return vardiff.check(nowMs);
    };
    for (let i = 0; i < 20; i++) share();
    nowMs += jumpMs;
    share();
    const after = vardiff.difficulty;
    t.ok(Number.isFinite(after) && after >= 1 && after <= 1024 * 256, `${jumpMs} ms: ${after}`);
    // Shares arrive at the rate of the hashrate, which has not changed, so the difficulty returns to its former value.
    for (let i = 0; i < 20_000 && vardiff.difficulty !== 1024; i++) {
      const { difficulty } = vardiff;
      nowMs += (7_500 * difficulty) / 1024;
      vardiff.onShare(difficulty);
      vardiff.check(nowMs);
    }
    t.equal(vardiff.difficulty, 1024, `${jumpMs} ms: the same again`);
  }
});

/** Simulates a miner of this hashrate with vardiff. Shares of one difficulty have equal intervals. */
function simulate(hashrate: number, start: number, floor: number, seconds: number) {
  const vardiff = new Vardiff(8, 2 ** 40);
  vardiff.restart(start, floor, 0);
  const changes: [number, number, string][] = [];
  let nextShareMs = 0;
  let nextTickMs = 0;
  for (let ms = 0; ms < seconds * 1000; ) {
    const interval = (vardiff.difficulty * 2 ** 32 * 1000) / hashrate;
    if (nextShareMs === 0) nextShareMs = ms + interval;
    ms = Math.min(nextShareMs, nextTickMs);
    if (ms === nextShareMs) {
      vardiff.onShare(vardiff.difficulty);
      nextShareMs = ms + interval;
    }
    if (ms === nextTickMs) nextTickMs += 1000;
    const change = vardiff.check(ms);
    if (change === 'none') continue;
    changes.push([ms / 1000, vardiff.difficulty, change]);
    nextShareMs = 0;
  }
  return { difficulty: vardiff.difficulty, changes };
}

t.test('raises the difficulty of a fast miner at once', async (t) => {
  // 100 TH/s at difficulty 1 are 23,283 shares per second; the target is 8 per minute.
  const { difficulty, changes } = simulate(100e12, 1, 1, 600);
  t.same(changes.map(([, , change]) => change).slice(0, 2), ['urgent', 'urgent']);
  t.same(
    changes.slice(0, 2).map(([, difficulty]) => difficulty),
    [256, 65_536],
    'by 256 at most',
  );
  t.ok((changes[1]?.[0] ?? 99) < 1, `after ${changes[1]?.[0]} s`);
  t.equal(difficulty, 131_072);
});

t.test('lowers the difficulty of a slow miner until shares come', async (t) => {
  // A Bitaxe of 1.2 TH/s that starts with a much too high difficulty. At 2048 it finds a share every 7.3 seconds.
  const { difficulty, changes } = simulate(1.2e12, 2 ** 20, 1, 1200);
  t.equal(changes[0]?.[0], 60, 'eight shares of a minute did not come');
  t.equal(changes[0]?.[1], 2 ** 16);
  t.equal(difficulty, 2048);
});

t.test('stays where it is while the share rate is right to a factor of two', async (t) => {
  t.same(simulate(1.2e12, 2048, 1, 3600).changes, []);
  t.same(simulate(1.2e12 * 1.3, 2048, 1, 3600).changes, []);
  t.same(simulate(1.2e12 * 0.75, 2048, 1, 3600).changes, []);
});

t.test('never goes below the floor or above the highest difficulty', async (t) => {
  t.equal(simulate(1000, 1024, 1, 7200).difficulty, 1);
  const vardiff = new Vardiff(8, 4096);
  vardiff.restart(2 ** 50, 1, 0);
  t.equal(vardiff.difficulty, 4096);
  vardiff.restart(0, 0, 0);
  t.equal(vardiff.difficulty, 2 ** -20, 'the least difficulty of all');
});

/** Makes the pace of a session that started at time 0. */
function pace(agent: string, password: string, suggested: number | null = null): SessionPace {
  const made = new SessionPace(OPTIONS);
  made.setAgent(agent);
  made.setPassword(password);
  if (suggested !== null) made.suggest(suggested, 0);
  made.start(0);
  return made;
}
const difficulty = (made: SessionPace): number => made.takeDifficulty().difficulty;

t.test('starts from what the miner asks for, within bounds', async (t) => {
  t.equal(difficulty(pace('', 'x')), 1024);
  t.equal(difficulty(pace('bitaxe', 'x', 1000)), 1000);
  t.equal(difficulty(pace('NerdMinerV2', 'x', 0.00015)), 2 ** -13);
  t.equal(difficulty(pace('unknown', 'x', 0.01)), 2 ** -7, 'a miner may ask for less than the floor');
  t.equal(difficulty(pace('unknown', 'd=512', 16)), 512, 'the password replaces a suggestion');
  t.equal(difficulty(pace('NiceHash/1.0', 'd=5')), 524_288, 'a marketplace may not');
  t.equal(difficulty(pace('NiceHash/1.0', 'd=1000000')), 1_000_000);
});

t.test('keeps the difficulty of the password as the lowest', async (t) => {
  const silent = (made: SessionPace): number => {
    for (let ms = 0; ms <= 3_600_000; ms += 1000) made.check(ms);
    return difficulty(made);
  };
  t.equal(silent(pace('', 'd=512')), 512);
  t.equal(silent(pace('', 'x')), 1);
  t.equal(silent(pace('', 'x', 1000)), 1, 'a suggestion is only a start');
  t.equal(silent(pace('', 'x', 0.01)), 2 ** -7);
});

t.test('applies a suggestion once, and only if it changes the difficulty', async (t) => {
  const made = pace('NerdMinerV2', 'x', 0.00015);
  made.suggest(0.00015, 30_000);
  t.notOk(made.hasNews, 'repeated to keep the connection open');
  made.suggest(0.001, 60_000);
  t.ok(made.hasNews);
  t.same(made.takeDifficulty(), { difficulty: 2 ** -10, urgent: false });
  t.notOk(made.hasNews);
});

t.test('raises the floor to the minimum of BIP-0310', async (t) => {
  const made = pace('', 'd=4');
  made.setMinimum(2048, 0);
  t.ok(made.hasNews);
  t.equal(difficulty(made), 2048);
  const early = new SessionPace(OPTIONS);
  early.setMinimum(5000, 0);
  early.start(0);
  t.equal(difficulty(early), 5000);
});
