// The serving thread's server over real sockets: what one client asks for takes nothing from another, and is bounded.
import t, { type Test } from 'tap';
import { createAead } from '../../../../src/crypto/native/aead.js';
import { createEllSwift } from '../../../../src/crypto/native/ell-swift.js';
import { createNativeHashes } from '../../../../src/crypto/native/hashes.js';
import { encodeNewTemplate } from '../../../../src/sv2/codec/template-messages.js';
import { ServeCounters } from '../../../../src/sv2/serve/counters.js';
import type { FromServe, ServedTemplate } from '../../../../src/sv2/serve/messages.js';
import { reserveKey } from '../../../../src/sv2/serve/messages.js';
import { Sv2Server } from '../../../../src/sv2/serve/server.js';
import { constraintsPayload, Sv2Client, solve } from '../../../framework/sv2-client.js';
import { until } from '../../../framework/until.js';

/** Of regtest. */
const EASY = 2n ** 255n - 1n;
const LEAST = { weight: 8_000, sigops: 400 };

let serials = 0;
/** @param bytes of its only transaction; 0: it has none */
function template(bytes: number): ServedTemplate {
  const payload = encodeNewTemplate({
    templateId: 0n,
    future: false,
    version: 0x2000_0000,
    coinbaseVersion: 2,
    coinbasePrefix: Uint8Array.of(1, 5),
    coinbaseSequence: 0xffff_ffff,
    valueRemaining: 5_000_000_000,
    outputs: [],
    coinbaseLocktime: 0,
    merklePath: [],
  });
  const count = bytes > 0 ? 1 : 0;
  return {
    serial: ++serials,
    height: 5,
    payload,
    kind: count > 0 ? 'full' : 'empty',
    branch: [],
    transactions: {
      segments: [new Uint8Array(bytes)],
      segmentOf: new Int32Array(count),
      offsets: new Int32Array(count),
      lengths: new Int32Array(count).fill(bytes),
    },
  };
}

interface Running {
  readonly port: number;
  readonly posted: FromServe[];
  /** A template of the tip for some reserves. */
  publish(keys: readonly string[], bytes?: number): void;
}

async function serving(t: Test): Promise<Running> {
  const hashes = createNativeHashes();
  const ellSwift = createEllSwift(hashes);
  const identity = { staticKey: ellSwift.create(), certificate: new Uint8Array(74) };
  const posted: FromServe[] = [];
  const options = {
    binds: [{ host: '127.0.0.1', port: 0 }],
    authoritySecret: new Uint8Array(32),
    solutionsDir: t.testdir(),
    maxWeight: 4_000_000,
    leastReserve: LEAST,
    counters: new ServeCounters().buffer,
    powLimit: EASY,
  };
  const server = new Sv2Server({
    hashes,
    aead: createAead(),
    ellSwift,
    identity: () => identity,
    options,
    counters: new ServeCounters(options.counters),
    post: (message) => posted.push(message),
  });
  t.teardown(() => server.close());
  const [at] = await server.listen();
  const first = template(0);
  const tip = { prevHash: new Uint8Array(32), height: 5, headerTimestamp: 1_700_000_000, bits: 0x207fffff, target: EASY, acceptedMs: null };
  server.receive({ kind: 'tip', tip, activate: first.serial, template: first });
  server.receive({ kind: 'stage', template: template(0) });
  const publish = (keys: readonly string[], bytes = 0): void => server.receive({ kind: 'template', template: template(bytes), keys });
  publish([reserveKey(LEAST)]);
  return { port: at!.port, posted, publish };
}

t.test('a client that changes its constraints all the time costs little, and takes no template from another', async (t) => {
  const { port, posted, publish } = await serving(t);
  const honest = await Sv2Client.start(port);
  t.teardown(() => honest.close());
  await honest.nextOf('prevhash');
  // What it works on from now on is for it alone: ids rise on each connection.
  honest.send(0x70, constraintsPayload(90, 4));
  await honest.nextOf('prevhash');
  const { template: working, prevHash } = honest;

  const restless = await Sv2Client.start(port);
  t.teardown(() => restless.close());
  await restless.nextOf('prevhash');
  const first = restless.template!.id;
  for (let i = 0; i < 500; i++) restless.send(0x70, constraintsPayload(100 + (i % 2) * 200_000, 4));
  restless.send(0x70, constraintsPayload(99, 4));
  restless.request(first);
  t.match(await restless.nextOf('data-error'), { id: first, code: 'stale-template-id' });
  t.ok(restless.templates.size < 10, `${restless.templates.size} templates for 501 changes`);
  t.ok(posted.filter(({ kind }) => kind === 'needs').length < 10, 'the node thread is told of few of them');
  await until('the last constraints take effect', () => restless.prevHash !== null && restless.template!.id > first);

  // Templates for other reserves come and go, and two for this one.
  for (let i = 0; i < 300; i++) publish([`${1_000_000 + i}/400`]);
  for (let i = 0; i < 2; i++) publish([reserveKey(LEAST)]);
  honest.submit(solve(working!, prevHash!));
  const found = (): boolean => posted.some(({ kind }) => kind === 'solution');
  const unknown = (): boolean => posted.some((one) => one.kind === 'log' && one.text.includes('which is unknown'));
  await until('the solution of a template that was replaced', () => found() || unknown());
  t.notOk(unknown(), 'it is known');
  t.same(honest.wrongs, []);
});

t.test('clients that read transactions slowly, or ask without end, leave others their turn', async (t) => {
  const { port, publish } = await serving(t);
  publish([reserveKey(LEAST)], 3_900_000);
  const greedy = await Promise.all(Array.from({ length: 8 }, () => Sv2Client.start(port)));
  t.teardown(() => {
    for (const client of greedy) client.close();
  });
  for (const client of greedy) {
    await client.nextOf('prevhash');
    client.socket.pause();
    for (let i = 0; i < 30; i++) client.request(client.template!.id);
  }
  const honest = await Sv2Client.start(port);
  t.teardown(() => honest.close());
  await honest.nextOf('prevhash');
  honest.request(honest.template!.id);
  t.equal((await honest.nextOf('data')).transactions[0]?.length, 3_900_000);
});
