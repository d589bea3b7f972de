// Faults that miners and pools had in the field, one test for each that a server can have or prevent. Of the 28 that the
// project knows these have tests elsewhere, because nothing can be observed in a session:
//   20  a pool that is silent without being closed: the serving thread closes sessions without work (serve/limits.test.ts)
//   28  connections that only look: statistics begin with the first accepted share (worker-table.test.ts)
import t from 'tap';
import { ADDRESS, EASY, NAME, NOW_MS, NOW_SECONDS, stratumWorld, TEMPLATE, type TestMiner, TIP } from '../../framework/stratum-world.js';

const hex = (value: number): string => value.toString(16).padStart(8, '0');

function working(options: Parameters<typeof stratumWorld>[0] = {}) {
  const world = stratumWorld(options);
  world.board.newTip(TIP, TEMPLATE, NOW_MS);
  const renew = (miner: TestMiner, nowMs: number): void => {
    const job = world.board.renew(nowMs);
    if (job !== null) miner.session.setJob(job);
  };
  return { ...world, renew };
}
const methods = (lines: readonly string[]): unknown[] => lines.map((line) => (JSON.parse(line) as { method?: string }).method ?? 'reply');

t.test('1: every notify has a new id and new content', async (t) => {
  const { connect, renew, board } = working();
  const miner = connect();
  miner.start();
  const jobs = [miner.job];
  for (let i = 0; i < 5; i++) {
    renew(miner, NOW_MS);
    jobs.push(miner.job);
  }
  miner.call(3, 'mining.suggest_difficulty', [64], NOW_MS + 2000);
  jobs.push(miner.job);
  t.equal(new Set(jobs.map(([id]) => id)).size, 7);
  t.equal(new Set(jobs.map(([, , coinb1]) => coinb1)).size, 7, 'even within one second');
  t.ok(board.current);
});

t.test('2, 3 and 26: a difficulty belongs to its job, and a lower one reaches older jobs', async (t) => {
  const { connect } = working();
  const miner = connect();
  miner.start({ password: `d=${EASY}` });
  const share = miner.mine((difficulty) => difficulty >= EASY && difficulty < EASY * 4);
  const old = miner.job[0];
  miner.call(3, 'mining.configure', [['minimum-difficulty'], { 'minimum-difficulty.value': EASY * 4 }]);
  t.equal(miner.difficulty, EASY * 4);
  t.equal(miner.submit(share, { job: old }), null, 'a rise does not refuse shares of older jobs');
});

t.test('4 and 5: the floor is 1 for miners, and lower for small devices and for those who ask', async (t) => {
  const { connect, renew } = working();
  const silentFor = (agent: string): number => {
    const miner = connect();
    miner.start({ agent });
    for (let s = 0; s <= 3600; s++) {
      miner.session.tick(NOW_MS + s * 1000);
      if (s % 30 === 0) renew(miner, NOW_MS + s * 1000);
    }
    return miner.difficulty;
  };
  t.equal(silentFor('whatsminer/v1.1'), 1, 'while an M30S++ tunes itself it returns nothing');
  t.equal(silentFor('NerdMinerV2'), 2 ** -16);
});

t.test('4: a flood raises the difficulty at once', async (t) => {
  const { connect } = working();
  const miner = connect();
  miner.start({ password: `d=${EASY}` });
  for (let i = 0; i < 8; i++)
    miner.submit(
      miner.mine((difficulty) => difficulty >= EASY, { extranonce2: hex(i) + hex(0) }),
      { nowMs: NOW_MS + i * 50 },
    );
  t.equal(miner.difficulty, EASY * 128);
});

t.test('6: a notify line of a NerdMiner stays below 3.6 KB, its coinbase below 255 bytes', async (t) => {
  const taproot = 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0';
  const { board, connect } = stratumWorld({ tag: 'x'.repeat(40), fee: `${taproot}:1` });
  board.newTip(TIP, { ...TEMPLATE, branch: Array.from({ length: 13 }, () => Buffer.alloc(32)) }, NOW_MS);
  const miner = connect();
  miner.start({ agent: 'NerdMinerV2', name: `${taproot}.nerd` });
  t.ok((miner.raw.at(-1) as string).length < 1700, `${miner.raw.at(-1)?.length} bytes`);
  t.ok(((miner.job[2] as string).length + (miner.job[3] as string).length) / 2 + 12 <= 254);
});

t.test('7: a nonce without leading zeros is padded', async (t) => {
  const { connect } = working();
  const miner = connect();
  miner.start({ password: `d=${EASY}` });
  const share = miner.mine((difficulty) => difficulty >= EASY);
  t.equal(miner.submit({ ...share, nonce: share.nonce.replace(/^0+/, '') }), null);
});

t.test('8 and 22: an extranonce2 padded with spaces is refused, one line is logged, the connection stays', async (t) => {
  const { connect } = working();
  const miner = connect();
  miner.start();
  for (let i = 0; i < 50; i++) t.equal(miner.submit({ extranonce2: '               1', ntime: '0', nonce: '0' }), '20 Invalid extranonce2');
  t.equal(miner.logs.length, 1);
  t.equal(miner.closed, null);
});

t.test('9: a miner whose firmware cuts the coinbase is named in the log, another miner is not', async (t) => {
  const { connect } = working();
  const miner = connect();
  miner.start({ agent: 'SparkMiner/1', password: 'd=1' });
  const share = (i: number) => ({ extranonce2: i.toString(16).padStart(16, '0'), ntime: hex(NOW_SECONDS), nonce: hex(i) });
  for (let i = 0; i < 30; i++) t.equal(miner.submit(share(i)), '23 Low difficulty share');
  t.same(miner.logs, [
    'info: Stratum V1: miner SparkMiner/1 sends only shares far below their difficulty. Its firmware may cut the coinbase or swap bytes.',
  ]);
  const good = connect(NOW_MS, '00000001');
  good.start({ password: `d=${EASY}` });
  t.equal(good.submit(good.mine((difficulty) => difficulty >= EASY)), null);
  for (let i = 0; i < 30; i++) good.submit(share(i));
  t.same(good.logs, []);
});

t.test('10: the version has no bit that miners may change', async (t) => {
  const { board, connect } = stratumWorld();
  board.newTip(TIP, { ...TEMPLATE, version: 0x3fffffff }, NOW_MS);
  const miner = connect();
  miner.start();
  t.equal(miner.job[5], '20001fff');
  t.equal(Number.parseInt(miner.job[5] as string, 16) & 0x1fffe000, 0);
});

t.test('11: version bits are used though none were negotiated', async (t) => {
  const { connect } = working();
  const miner = connect();
  miner.start({ password: `d=${EASY}` });
  t.equal(miner.submit(miner.mine((difficulty) => difficulty >= EASY, { versionBits: '0123e000' })), null);
});

t.test('12, 17 and 24: nothing unasked comes before the replies, no set_version_mask, and set_difficulty has no id', async (t) => {
  const { connect } = working();
  const miner = connect();
  const lines = miner.write(
    [
      { id: 1, method: 'mining.configure', params: [['version-rolling'], { 'version-rolling.mask': 'ffffffff' }] },
      { id: 2, method: 'mining.subscribe', params: [] },
      { id: 3, method: 'mining.authorize', params: [NAME, 'x'] },
      { id: 4, method: 'mining.suggest_difficulty', params: [512] },
    ]
      .map((request) => `${JSON.stringify(request)}\n`)
      .join(''),
  );
  t.same(methods(lines), ['reply', 'reply', 'reply', 'mining.set_difficulty', 'mining.notify', 'mining.set_difficulty', 'mining.notify']);
  for (const line of lines.slice(3)) t.ok(line.startsWith('{"id":null,'));
});

t.test('13: configure is answered with the requested keys only', async (t) => {
  const miner = working().connect();
  t.same(miner.call(1, 'mining.configure', [['minimum-difficulty'], { 'minimum-difficulty.value': 1 }]), [
    '{"id":1,"result":{"minimum-difficulty":true},"error":null}',
  ]);
});

t.test('14 and 15: extranonces of 4 and 8 bytes, and at least 524,288 for NiceHash', async (t) => {
  const miner = working().connect();
  t.match(miner.call(1, 'mining.subscribe', ['NiceHash/1.0.0'])[0], '],"a1b2c3d4",8]');
  miner.call(2, 'mining.authorize', [NAME, 'd=500']);
  t.equal(miner.difficulty, 524_288);
});

t.test('16: version rolling is always offered', async (t) => {
  const miner = working().connect();
  const params = [['version-rolling'], { 'version-rolling.mask': '1fffe000', 'version-rolling.min-bit-count': 16 }];
  t.match(miner.call(1, 'mining.configure', params)[0], '"version-rolling":true');
});

t.test('18: every field of notify has its type, and clean_jobs is last', async (t) => {
  const miner = working().connect();
  miner.start();
  t.same(
    miner.job.map((field) => (Array.isArray(field) ? field.map((hash) => typeof hash) : typeof field)),
    ['string', 'string', 'string', 'string', ['string', 'string'], 'string', 'string', 'string', 'boolean'],
  );
  for (const at of [0, 5, 6, 7]) t.match(miner.job[at], /^[0-9a-f]{8}$/);
});

t.test('19: difficulties from 1 up are whole, and a notify follows each', async (t) => {
  const miner = working().connect();
  miner.start({ password: 'd=16383.75' });
  t.equal(miner.difficulty, 16_383);
  t.same(methods(miner.raw).slice(-2), ['mining.set_difficulty', 'mining.notify']);
  t.same(methods(miner.call(3, 'mining.suggest_difficulty', [5], NOW_MS + 5000)), [], 'the password has the last word');
});

t.test('21: a nonce that an ASIC returns twice is a duplicate with its own count, and the connection stays', async (t) => {
  const { connect } = working();
  const miner = connect();
  miner.start({ password: `d=${EASY}` });
  const share = miner.mine((difficulty) => difficulty >= EASY);
  t.equal(miner.submit(share), null);
  for (let i = 0; i < 20; i++) t.equal(miner.submit(share), '22 Duplicate share');
  t.same([miner.shares.filter(({ result }) => result === 'duplicate').length, miner.closed], [20, null]);
});

t.test('23: text ids are echoed as texts', async (t) => {
  const miner = working().connect();
  t.same(miner.write(`{"id":"auth","method":"mining.authorize","params":["${ADDRESS}","x"]}\n`), [
    '{"id":"auth","result":true,"error":null}',
  ]);
});

t.test('24 and 25: times from the least of the tip to two hours ahead', async (t) => {
  const { board, connect } = stratumWorld();
  // As on testnet4, the median time is ahead of the node's clock.
  board.newTip({ ...TIP, minTime: NOW_SECONDS + 600, headerTimestamp: NOW_SECONDS + 600 }, TEMPLATE, NOW_MS);
  const miner = connect();
  miner.start({ password: `d=${EASY}` });
  t.equal(miner.job[7], hex(NOW_SECONDS + 600));
  const at = (seconds: number) => miner.submit(miner.mine((difficulty) => difficulty >= EASY, { ntime: hex(seconds) }));
  t.equal(at(NOW_SECONDS + 599), '20 Ntime out of range');
  t.equal(at(NOW_SECONDS + 600 + 7000), null, 'ASICs roll the time by hours');
});

t.test('27: a miner of 1 TH/s gets shares at the wanted rate', async (t) => {
  const { connect } = working({ session: { startDifficulty: 65_536 } });
  const miner = connect();
  miner.start({ agent: 'cgminer/4.9' });
  miner.session.tick(NOW_MS + 60_000);
  const job = miner.difficulty;
  miner.call(3, 'mining.suggest_difficulty', [1024], NOW_MS + 61_000);
  t.same([job, miner.difficulty], [65_536, 1024], 'and may ask for it');
});
