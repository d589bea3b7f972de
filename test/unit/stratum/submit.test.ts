// Tests shares: which are accepted, which are refused and with which code, and that no rule is checked before the share
// is tested for being a block.
import t from 'tap';
import { hashToBigint } from '../../../src/consensus/rules/bits.js';
import {
  ADDRESS,
  EASY,
  EASY_TIP,
  EXTRANONCE1,
  NAME,
  NOW_MS,
  NOW_SECONDS,
  SCRIPT_HEX,
  stratumWorld,
  TEMPLATE,
  TIP,
} from '../../framework/stratum-world.js';

const NEXT = { ...TIP, prevHash: Buffer.alloc(32, 9) };
const EASY_NEXT = { ...EASY_TIP, prevHash: Buffer.alloc(32, 9) };
const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
const isBlock = (_difficulty: number, hash: Buffer): boolean => hashToBigint(hash) <= EASY_TIP.target;
const isNoBlock = (difficulty: number, hash: Buffer): boolean => !isBlock(difficulty, hash);

/** Makes a miner at the lowest difficulty, on a tip whose target makes blocks by chance practically impossible. */
function easyMiner(options: Parameters<typeof stratumWorld>[0] = {}, tip = TIP) {
  const { board, connect } = stratumWorld(options);
  board.newTip(tip, TEMPLATE, NOW_MS);
  const miner = connect();
  miner.start({ password: `d=${EASY}` });
  return { board, miner };
}
const meetsEasy = (difficulty: number): boolean => difficulty >= EASY;

t.test('accepts a share and records it', async (t) => {
  const { miner } = easyMiner();
  t.equal(miner.difficulty, EASY);
  const work = miner.mine(meetsEasy);
  t.equal(miner.submit(work), null);
  t.same(miner.raw, ['{"id":9,"result":true,"error":null}']);
  t.same(miner.shares, [
    {
      address: ADDRESS,
      worker: 'attic',
      result: 'accepted',
      difficulty: EASY,
      shareDifficulty: miner.shares[0]?.shareDifficulty,
      height: 840_000,
      timeMs: NOW_MS,
      block: false,
    },
  ]);
  t.ok(Math.abs((miner.shares[0]?.shareDifficulty as number) / work.difficulty - 1) < 1e-9);
  t.same(miner.blocks, []);
});

t.test('takes nonces without leading zeros, capitals, and a missing or empty sixth parameter', async (t) => {
  const { miner } = easyMiner();
  const work = miner.mine(meetsEasy);
  t.ok(work.nonce.startsWith('0'), 'the first nonces are small');
  t.equal(miner.submit({ ...work, nonce: work.nonce.replace(/^0+/, '') }), null);
  t.equal(miner.submit(work), '22 Duplicate share', 'the same share in another spelling');
  const capitals = miner.mine(meetsEasy, { extranonce2: 'abcdefabcdef0000' });
  const upper = { extranonce2: 'ABCDEFABCDEF0000', ntime: capitals.ntime.toUpperCase(), nonce: capitals.nonce.toUpperCase() };
  t.equal(miner.submit(upper), null);
  t.equal(miner.submit(capitals), '22 Duplicate share');
  const third = miner.mine(meetsEasy, { extranonce2: '0000000000000003' });
  const [id, , e2, ntime, nonce] = [9, 0, third.extranonce2, third.ntime, third.nonce];
  t.same(miner.call(id, 'mining.submit', [NAME, miner.job[0], e2, ntime, nonce, null]), ['{"id":9,"result":true,"error":null}']);
  t.equal(miner.submit({ ...third, versionBits: '00000000' }), '22 Duplicate share');
});

t.test('answers every reply with the id of its request, and none without an id', async (t) => {
  const { miner } = easyMiner();
  const work = miner.mine(meetsEasy);
  const params = [NAME, miner.job[0], work.extranonce2, work.ntime, work.nonce];
  const line = `${JSON.stringify({ id: 4, method: 'mining.submit', params })}\n`;
  // cpuminer sends every submit with id 4.
  t.same(miner.write(line + line), ['{"id":4,"result":true,"error":null}', '{"id":4,"result":null,"error":[22,"Duplicate share",null]}']);
  t.same(miner.call(null, 'mining.submit', params), []);
  t.equal(miner.shares.length, 3);
});

t.test('refuses wrong fields with code 20', async (t) => {
  const { miner } = easyMiner();
  const work = miner.mine(meetsEasy);
  for (const extranonce2 of ['', '00', '000000000000000001', '               1', 'zzzzzzzzzzzzzzzz'])
    t.equal(miner.submit({ ...work, extranonce2 }), '20 Invalid extranonce2');
  for (const ntime of ['', '123456789', 'xyz', '-1']) t.equal(miner.submit({ ...work, ntime }), '20 Invalid ntime');
  for (const nonce of ['', '123456789', '0x123456']) t.equal(miner.submit({ ...work, nonce }), '20 Invalid nonce');
  t.equal(miner.submit({ ...work, versionBits: 'none' }), '20 Invalid version bits');
  t.match(miner.call(9, 'mining.submit', [NAME, miner.job[0], 1, 2, 3])[0], '[20,"Invalid extranonce2",null]');
  t.same(miner.logs, ['info: Stratum V1: miner test/1 sends shares that are refused: Invalid extranonce2'], 'one line a connection');
  t.equal(miner.closed, null);
  t.equal(miner.submit(work), null);
});

t.test('refuses shares before subscription and authorisation', async (t) => {
  const { board, connect } = stratumWorld();
  board.newTip(TIP, TEMPLATE, NOW_MS);
  const miner = connect();
  const work = { extranonce2: '0000000000000001', ntime: '00000000', nonce: '00000000' };
  t.equal(miner.submit(work), '25 Not subscribed');
  miner.call(1, 'mining.subscribe', []);
  t.equal(miner.submit(work), '24 Unauthorized worker');
});

t.test('refuses a name that was not authorized', async (t) => {
  const { miner } = easyMiner();
  const work = miner.mine(meetsEasy);
  t.equal(miner.submit(work, { name: `${ADDRESS}.other` }), '24 Unauthorized worker');
  t.match(miner.shares[0], { address: ADDRESS, worker: '', result: 'unauthorized' });
  miner.call(5, 'mining.authorize', [`${ADDRESS}.other`]);
  t.equal(miner.submit(work, { name: `${ADDRESS}.other` }), null);
  t.match(miner.shares[1], { worker: 'other', result: 'accepted' });
});

t.test('refuses unknown jobs and stale shares with code 21', async (t) => {
  const { board, miner } = easyMiner();
  const work = miner.mine(meetsEasy);
  const old = miner.job[0];
  for (const job of ['', 'ffffffff', 7, null]) t.equal(miner.submit(work, { job }), '21 Job not found');
  miner.session.setJob(board.newTip(NEXT, TEMPLATE, NOW_MS));
  t.equal(miner.submit(work, { job: old }), '21 Stale share');
  t.equal(miner.submit(work, { job: old, nowMs: NOW_MS + 60_000 }), '21 Job not found');
  t.same(
    miner.shares.map(({ result }) => result),
    ['unknown-job', 'unknown-job', 'unknown-job', 'unknown-job', 'stale', 'unknown-job'],
  );
});

t.test('accepts shares of every job of the tip', async (t) => {
  const { board, miner } = easyMiner();
  const work = miner.mine(meetsEasy);
  const first = miner.job[0];
  for (let i = 0; i < 20; i++) miner.session.setJob(board.renew(NOW_MS + 30_000 * i) as NonNullable<ReturnType<typeof board.renew>>);
  t.equal(miner.submit(work, { job: first, nowMs: NOW_MS + 600_000 }), null);
});

t.test('refuses a share below its difficulty with code 23', async (t) => {
  const { miner } = easyMiner();
  t.equal(miner.submit(miner.mine((difficulty) => difficulty < EASY)), '23 Low difficulty share');
  t.match(miner.shares[0], { result: 'low-difficulty', difficulty: EASY, block: false });
});

t.test('takes times from the least of the tip to two hours ahead of the node', async (t) => {
  const { miner } = easyMiner();
  const at = (seconds: number, nowMs = NOW_MS) => miner.submit(miner.mine(meetsEasy, { ntime: hex(seconds) }), { nowMs });
  t.equal(at(TIP.minTime), null);
  t.equal(at(TIP.minTime - 1), '20 Ntime out of range');
  t.equal(at(NOW_SECONDS + 7200), null);
  t.equal(at(NOW_SECONDS + 7201), '20 Ntime out of range');
  t.equal(at(NOW_SECONDS + 7201, NOW_MS + 1000), null, 'a second later');
});

t.test('takes version bits within the mask, negotiated or not', async (t) => {
  const { miner } = easyMiner();
  const bits = (versionBits: string) => miner.submit(miner.mine(meetsEasy, { versionBits }));
  t.equal(bits('1fffe000'), null, 'an S21 behind MiningRigRentals never configures');
  t.equal(bits('00000001'), '20 Invalid version bits');
  miner.call(1, 'mining.configure', [['version-rolling'], { 'version-rolling.mask': '00006000' }]);
  t.equal(bits('00004000'), null);
  t.equal(bits('00008000'), '20 Invalid version bits', 'outside the mask that was agreed');
  t.equal(miner.submit(miner.mine(meetsEasy, { extranonce2: '0000000000000009' })), null, 'without the parameter no bit is changed');
});

t.test('leaves signals in the version unless miners may change those bits', async (t) => {
  const signals = { ...TEMPLATE, version: 0x30000017 };
  const version = (versionMask: number): unknown => {
    const { board, connect } = stratumWorld({ versionMask });
    board.newTip(TIP, signals, NOW_MS);
    const miner = connect();
    miner.start();
    return miner.job[5];
  };
  t.equal(version(0x1fffe000), '20000017');
  t.equal(version(0x1fffffe0), '20000017');
  t.equal(version(0x0000000f), '30000010');
});

t.test('belongs a difficulty to its job, and forgives once a lower one was sent', async (t) => {
  const { board, connect } = stratumWorld();
  board.newTip(TIP, TEMPLATE, NOW_MS);
  const miner = connect();
  miner.start({ agent: 'NerdMinerV2', password: 'x' });
  miner.call(3, 'mining.suggest_difficulty', [EASY * 2]);
  const oldJob = miner.job;
  const between = () => miner.mine((difficulty) => difficulty >= EASY && difficulty < EASY * 2);
  const low = between();
  t.equal(miner.submit(low), '23 Low difficulty share');
  miner.call(3, 'mining.suggest_difficulty', [EASY], NOW_MS + 2000);
  t.equal(miner.difficulty, EASY);
  t.equal(miner.submit(low, { job: oldJob[0] }), null, 'the old job at the new, lower difficulty');
  t.equal(miner.shares.at(-1)?.difficulty, EASY, 'and it counts for that');
  const current = between();
  miner.call(3, 'mining.suggest_difficulty', [EASY * 2], NOW_MS + 4000);
  t.equal(miner.submit(current, { job: hex(Number.parseInt(miner.job[0] as string, 16) - 1) }), null, 'a rise does not reach older jobs');
  t.equal(miner.submit(between()), '23 Low difficulty share');
});

t.test('never asks for more than the network does', async (t) => {
  const { board, connect } = stratumWorld();
  board.newTip(EASY_TIP, TEMPLATE, NOW_MS);
  const miner = connect();
  miner.start();
  t.equal(miner.difficulty, 4.6565423739069247e-10, 'the difficulty of regtest');
  t.equal(miner.submit(miner.mine(isBlock)), null);
  t.equal(miner.blocks.length, 1);
});

t.test('hands a block on as it will be in the chain', async (t) => {
  const { miner } = easyMiner({}, EASY_TIP);
  const work = miner.mine(isBlock, { versionBits: '00004000' });
  t.equal(miner.submit(work), null);
  const [block] = miner.blocks;
  t.same(block?.header, work.built.header);
  t.same(block?.hash, work.built.hash);
  t.equal(block?.job.template, TEMPLATE, 'the object that the board was given');
  t.match(block, { address: ADDRESS, worker: 'attic', late: false });
  const coinbase = Buffer.from(block?.coinbase as Uint8Array).toString('hex');
  t.ok(coinbase.includes(`${EXTRANONCE1}${work.extranonce2}`) && coinbase.includes(SCRIPT_HEX));
  const bare = work.built.coinbase.toString('hex');
  t.equal(coinbase, `${bare.slice(0, 8)}0001${bare.slice(8, -8)}0120${'00'.repeat(32)}${bare.slice(-8)}`);
  t.equal(miner.shares[0]?.block, true);
});

t.test('hands a block on before every rule about shares', async (t) => {
  const outcomes: [string, string | null][] = [
    ['another name', '24 Unauthorized worker'],
    ['a stale job', '21 Stale share'],
    ['a time in the far future', '20 Ntime out of range'],
    ['a bit outside the mask', '20 Invalid version bits'],
    ['a duplicate', '22 Duplicate share'],
  ];
  for (const [what, error] of outcomes) {
    const { board, miner } = easyMiner({}, EASY_TIP);
    const work = miner.mine(isBlock, {
      ...(what.startsWith('a time') ? { ntime: hex(NOW_SECONDS + 10_000) } : {}),
      ...(what.startsWith('a bit') ? { versionBits: '00000001' } : {}),
    });
    const job = miner.job[0];
    if (what === 'a stale job') miner.session.setJob(board.newTip(EASY_NEXT, TEMPLATE, NOW_MS));
    if (what === 'a duplicate') t.equal(miner.submit(work), null);
    t.equal(miner.submit(work, { job, ...(what === 'another name' ? { name: 'x' } : {}) }), error, what);
    t.equal(miner.blocks.length, what === 'a duplicate' ? 2 : 1, what);
    t.same(miner.blocks[0]?.header, work.built.header, what);
    t.equal(miner.blocks[0]?.late, what === 'a stale job');
    t.equal(miner.shares.at(-1)?.block, true);
  }
  const { miner } = easyMiner({}, EASY_TIP);
  t.equal(miner.submit(miner.mine(isNoBlock)), '23 Low difficulty share');
  t.same(miner.blocks, []);
});

t.test('answers shares with fields of any length, and tests those that it can read for a block', async (t) => {
  const { miner } = easyMiner({}, EASY_TIP);
  const { extranonce2, ntime, nonce } = miner.mine(isBlock);
  const right = [NAME, String(miner.job[0]), extranonce2, ntime, nonce];
  let refused = 0;
  for (let field = 1; field < 6; field++) {
    for (const length of [0, 1, 7, 8, 9, 15, 16, 17, 64, 1_000]) {
      for (const letter of ['0', 'F', ' ', '\u0000', 'g', '\u00e9']) {
        const params: string[] = [...right, '00000000'];
        params[field] = letter.repeat(length);
        const [reply] = miner.call(9, 'mining.submit', params);
        const { result, error } = JSON.parse(reply as string);
        t.ok(result === true || [20, 21, 22, 23].includes(error[0]), `${field}: ${length} times ${letter}`, { diagnostic: false });
        if (error !== null) refused++;
      }
    }
  }
  for (const params of [[], [NAME], right.slice(0, 4), [...right, {}], [...right, 5], [...right.slice(0, 4), 5], [[], [], [], [], []]]) {
    const { error } = JSON.parse(miner.call(9, 'mining.submit', params)[0] as string);
    t.ok([20, 21].includes(error[0]), JSON.stringify(params));
  }
  t.ok(refused > 250, `${refused} of 300 are refused`);
  t.equal(miner.closed, null);
  t.equal(miner.submit(miner.mine(isBlock, { extranonce2: '0000000000000007' })), null, 'a right one is accepted nevertheless');
});

t.test('raises the difficulty of a flood, and tests each of its shares for a block', async (t) => {
  const { miner } = easyMiner();
  const results: (string | null)[] = [];
  for (let i = 0; i < 18; i++) results.push(miner.submit(miner.mine(meetsEasy, { extranonce2: hex(i) + hex(0) })));
  t.ok(miner.difficulty > EASY * 8, `raised to ${miner.difficulty}`);
  t.equal(miner.job[8], true, 'by a clean job');
  t.equal(miner.shares.length, 18);
  t.equal(miner.shares.filter(({ shareDifficulty }) => shareDifficulty === 0).length, 0, 'each was hashed');
  t.equal(miner.closed, null);
});
