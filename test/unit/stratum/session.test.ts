// Tests the conversation with a miner: replies, their order, and messages that get no reply.
import t from 'tap';
import { ADDRESS, NAME, NOW_MS, stratumWorld, TEMPLATE, TIP } from '../../framework/stratum-world.js';

const SUBSCRIBED = '{"id":1,"result":[[["mining.set_difficulty","a1b2c3d4d"],["mining.notify","a1b2c3d4n"]],"a1b2c3d4",8],"error":null}';
const AUTHORIZED = '{"id":2,"result":true,"error":null}';
const DIFFICULTY = '{"id":null,"method":"mining.set_difficulty","params":[1024]}';

/** Makes a server that has a job. */
function working(options: Parameters<typeof stratumWorld>[0] = {}) {
  const world = stratumWorld(options);
  world.board.newTip(TIP, TEMPLATE, NOW_MS);
  return world;
}
const kinds = (lines: readonly string[]): string[] =>
  lines.map((line) => {
    const { id, method } = JSON.parse(line) as { id: unknown; method?: string };
    return method ?? `reply ${id}`;
  });

t.test('replies to subscribe and authorize before it sends work', async (t) => {
  const miner = working().connect();
  t.same(miner.call(1, 'mining.subscribe', ['cgminer/4.11.1']), [SUBSCRIBED]);
  const lines = miner.call(2, 'mining.authorize', [NAME, 'x']);
  t.same(lines.slice(0, 2), [AUTHORIZED, DIFFICULTY]);
  t.same(kinds(lines), ['reply 2', 'mining.set_difficulty', 'mining.notify']);
  t.equal(miner.job[8], true, 'clean');
  t.same(miner.names, [{ address: ADDRESS, worker: 'attic', agent: 'cgminer/4.11.1' }]);
});

t.test('takes authorize before subscribe', async (t) => {
  const miner = working().connect();
  t.same(miner.call(2, 'mining.authorize', [NAME, 'd=64']), [AUTHORIZED]);
  t.same(miner.names, [], 'its agent is not known yet');
  t.same(kinds(miner.call(1, 'mining.subscribe', ['x/1'])), ['reply 1', 'mining.set_difficulty', 'mining.notify']);
  t.same(miner.names, [{ address: ADDRESS, worker: 'attic', agent: 'x/1' }]);
  t.equal(miner.difficulty, 64);
});

t.test('answers what a Bitaxe writes at once in the order of its requests', async (t) => {
  const miner = working().connect();
  const lines = miner.write(
    '{"id":1,"method":"mining.configure","params":[["version-rolling"],{"version-rolling.mask":"ffffffff"}]}\n' +
      '{"id":2,"method":"mining.subscribe","params":["bitaxe/BM1370/v2.8.0"]}\n' +
      `{"id":3,"method":"mining.authorize","params":["${NAME}","x"]}\n` +
      '{"id":4,"method":"mining.suggest_difficulty","params":[1000]}\n',
  );
  t.equal(lines[0], '{"id":1,"result":{"version-rolling":true,"version-rolling.mask":"1fffe000"},"error":null}');
  t.same(kinds(lines), [
    'reply 1',
    'reply 2',
    'reply 3',
    'mining.set_difficulty',
    'mining.notify',
    'mining.set_difficulty',
    'mining.notify',
  ]);
  t.equal(miner.difficulty, 1000);
});

t.test('waits with work until there is some', async (t) => {
  const world = stratumWorld();
  const miner = world.connect();
  t.same(kinds(miner.start()), ['reply 1', 'reply 2']);
  miner.raw = [];
  miner.session.setJob(world.board.newTip(TIP, TEMPLATE, NOW_MS));
  t.same(kinds(miner.raw), ['mining.set_difficulty', 'mining.notify']);
  t.ok(miner.session.started);
});

t.test('gives the same extranonce1 again, and authorizes several workers of one address', async (t) => {
  const miner = working().connect();
  miner.start();
  t.same(miner.call(1, 'mining.subscribe', ['x']), [SUBSCRIBED], 'and no new work');
  t.same(miner.call(2, 'mining.authorize', [`${ADDRESS}.cellar`, 'x']), [AUTHORIZED]);
  t.same(miner.call(2, 'mining.authorize', ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy.cellar']), [
    `{"id":2,"result":null,"error":[24,"This connection mines for ${ADDRESS}: connect again for another address",null]}`,
  ]);
  for (let i = 0; i < 254; i++) t.same(miner.call(2, 'mining.authorize', [`${ADDRESS}.${i}`]), [AUTHORIZED]);
  t.match(miner.call(2, 'mining.authorize', [`${ADDRESS}.256`])[0], 'More than 256 user names on one connection');
  t.equal(miner.session.announced.length, 256);
  t.equal(miner.names.length, 256);
  t.same(miner.call(2, 'mining.authorize', [NAME]), [AUTHORIZED]);
  t.equal(miner.names.length, 256, 'a known name is not announced again');
  for (let i = 300; i < 400; i++) miner.call(2, 'mining.authorize', [`${ADDRESS}.${i}`]);
  t.equal(miner.closed, null, 'a proxy may have more');
});

t.test('refuses a wrong address with code 24 and stays open', async (t) => {
  const miner = working().connect();
  miner.call(1, 'mining.subscribe', []);
  t.match(
    miner.call(2, 'mining.authorize', ['satoshi.rig', 'x'])[0],
    '{"id":2,"result":null,"error":[24,"User name must begin with a mainnet address: ',
  );
  t.match(miner.call(2, 'mining.authorize', [])[0], '[24,"User name is empty: use ADDRESS.WORKER",null]');
  t.equal(miner.closed, null);
  t.match(miner.logs[0], /refused user name satoshi.rig/);
  t.same(kinds(miner.call(3, 'mining.authorize', [NAME])), ['reply 3', 'mining.set_difficulty', 'mining.notify']);
  for (let i = 2; i < 31; i++) miner.call(4, 'mining.authorize', ['satoshi.rig']);
  t.equal(miner.closed, null);
  miner.call(4, 'mining.authorize', ['satoshi.rig']);
  t.equal(miner.closed, 'garbage: 32 refused user names');
});

t.test('configures only extensions that were asked for', async (t) => {
  const miner = working().connect();
  const result = (params: readonly unknown[]) =>
    (JSON.parse(miner.call(1, 'mining.configure', params)[0] as string) as { result: object }).result;
  t.same(result([]), {});
  t.same(result([['version-rolling'], { 'version-rolling.mask': '00c00000', 'version-rolling.min-bit-count': 2 }]), {
    'version-rolling': true,
    'version-rolling.mask': '00c00000',
  });
  t.same(result([['version-rolling']]), { 'version-rolling': true, 'version-rolling.mask': '1fffe000' }, 'without parameters');
  t.same(result([['version-rolling'], { 'version-rolling.mask': 'zz' }]), { 'version-rolling': 'Invalid version-rolling.mask' });
  t.same(
    result([
      ['minimum-difficulty', 'subscribe-extranonce', 'info', 'x-unknown', 7],
      { 'minimum-difficulty.value': 2048, 'info.hw-version': 'S21', 'version-rolling.mask': 'ffffffff' },
    ]),
    { 'minimum-difficulty': true, 'subscribe-extranonce': true, info: true, 'x-unknown': false },
  );
  t.same(result([['minimum-difficulty'], {}]), { 'minimum-difficulty': 'Invalid minimum-difficulty.value' });
  miner.start();
  t.equal(miner.difficulty, 2048, 'the minimum holds from the first job on');
});

t.test('answers suggestions with set_difficulty and never with a reply', async (t) => {
  const { board, connect } = working();
  const miner = connect();
  t.same(miner.call(1, 'mining.suggest_difficulty', [512]), [], 'nothing before the reply to subscribe');
  t.same(kinds(miner.start()), ['reply 1', 'reply 2', 'mining.set_difficulty', 'mining.notify']);
  t.equal(miner.difficulty, 512);
  const first = miner.job;
  t.same(kinds(miner.call(3, 'mining.suggest_difficulty', ['0.5'])), ['mining.set_difficulty', 'mining.notify']);
  t.equal(miner.difficulty, 0.5);
  t.not(miner.job[0], first[0], 'a new id');
  t.not(miner.job[2], first[2], 'and new content');
  t.equal(miner.job[8], false);
  t.same(miner.call(4, 'mining.suggest_difficulty', [0.5]), [], 'nothing new');
  t.same(miner.call(5, 'mining.suggest_difficulty(42)', []), [], 'a fresh job was made within this second');
  miner.raw = [];
  miner.session.tick(NOW_MS + 1000);
  t.same(kinds(miner.raw), ['mining.set_difficulty', 'mining.notify']);
  t.equal(miner.difficulty, 42);
  t.same(kinds(miner.call(null, 'mining.suggest_target', [`00000000ffff${'00'.repeat(26)}`], NOW_MS + 2000)), [
    'mining.set_difficulty',
    'mining.notify',
  ]);
  t.equal(miner.difficulty, 1);
  for (const bad of [[], [0], [-1], ['x'], [null], [{}]]) t.same(miner.call(6, 'mining.suggest_difficulty', bad, NOW_MS + 9000), []);
  t.same(miner.call(6, 'mining.suggest_target', ['ffff'], NOW_MS + 9000), []);
  t.ok(board.current);
});

t.test('answers or ignores the rare methods', async (t) => {
  const miner = working().connect();
  t.same(miner.call(3, 'mining.extranonce.subscribe'), ['{"id":3,"result":true,"error":null}']);
  t.same(miner.call('xnsub', 'mining.extranonce.subscribe'), ['{"id":"xnsub","result":true,"error":null}']);
  t.same(miner.call(4, 'mining.ping'), ['{"id":4,"result":"pong","error":null}']);
  t.same(miner.call(5, 'mining.multi_version', [4]), []);
  t.same(miner.call(5, 'pong'), []);
  t.same(miner.call(6, 'mining.get_transactions', ['x']), ['{"id":6,"result":null,"error":[20,"Method not found",null]}']);
  t.same(miner.call(null, 'mining.get_transactions', ['x']), [], 'without an id there is no reply');
  t.same(miner.write('{"method":"mining.subscribe","params":[]}\n'), []);
  t.same(miner.write('{"id":5,"result":"pong","error":null}\n\r\n \n'), []);
  t.equal(miner.closed, null);
});

t.test('closes on garbage and says what it is', async (t) => {
  const after = (text: string): string | null => {
    const miner = working().connect();
    miner.write(text);
    return miner.closed;
  };
  t.match(after('\x16\x03\x01\x02\x00'), 'garbage: a TLS handshake on the plain port');
  t.match(after('GET / HTTP/1.1\r\n'), 'garbage: an HTTP request');
  for (const method of ['HEAD / HTTP/1.1', 'POST / HTTP/1.1']) t.match(after(method), 'garbage: an HTTP request');
  for (const space of [' ', '\t', '\r', '\n']) t.equal(after(space), null);
  t.match(after('hello'), 'garbage: no JSON');
  t.match(after('{"id":1,\n'), 'garbage: a line that is no JSON object');
  t.match(after(`{"id":1,"method":"${'x'.repeat(8192)}`), 'garbage: a line of more than 8 KiB');
  const miner = working().connect();
  t.same(miner.write('{"id":1,\n{"id":4,"method":"mining.ping"}\n'), [], 'nothing is answered after it');
  t.same(miner.call(4, 'mining.ping'), []);
});

t.test('closes a connection that has not subscribed and authorized within 30 seconds', async (t) => {
  const { connect } = working();
  const half = connect();
  half.call(1, 'mining.subscribe', []);
  half.session.tick(NOW_MS + 29_999);
  t.equal(half.closed, null);
  half.session.tick(NOW_MS + 30_000);
  t.match(half.closed, 'handshake-timeout: no subscription and authorisation within 30 seconds');
  const whole = connect();
  whole.start();
  whole.session.tick(NOW_MS + 86_400_000);
  t.equal(whole.closed, null, 'a miner without shares stays');
});

t.test('sends each job once, clean after a new tip and for no other reason', async (t) => {
  const { board, connect } = working();
  const miner = connect();
  miner.start();
  const clean: unknown[] = [];
  const send = (job: ReturnType<typeof board.renew>): void => {
    miner.session.setJob(job as NonNullable<typeof job>);
    clean.push(miner.job[8]);
  };
  send(board.renew(NOW_MS + 30_000));
  send(board.newTip({ ...TIP, prevHash: Buffer.alloc(32, 9) }, TEMPLATE, NOW_MS + 40_000));
  send(board.newTemplate({ ...TEMPLATE, branch: [] }, NOW_MS + 40_100));
  t.same(clean, [false, true, false]);
  miner.raw = [];
  miner.session.setJob(board.current as NonNullable<typeof board.current>);
  t.same(miner.raw, [], 'not twice');
  miner.session.end();
  miner.session.setJob(board.renew(NOW_MS + 50_000) as NonNullable<typeof board.current>);
  t.same(miner.raw, [], 'nor after the end');
});

t.test('announces workers for statistics once the miner has also subscribed', async (t) => {
  const miner = working().connect();
  miner.call(1, 'mining.authorize', [NAME, 'x']);
  t.same([miner.session.announced, miner.names], [[], []]);
  miner.call(2, 'mining.subscribe', ['bitaxe\x07/1']);
  t.match(miner.session.announced, [{ address: ADDRESS, worker: 'attic' }]);
  t.same(miner.names, [{ address: ADDRESS, worker: 'attic', agent: 'bitaxe?/1' }]);
});
