// Where a node begins that knows nobody: DNS, and when that tells nothing for a minute, the addresses that came with the program.
import { mock } from 'node:test';
import t from 'tap';
import { ByteWriter } from '../../../src/consensus/bytes/writer.js';
import { type ChainName, chainParams } from '../../../src/consensus/params/chain-params.js';
import { AddrManager } from '../../../src/net/address/addr-manager.js';
import type { NetContext } from '../../../src/net/context.js';
import { DEFAULT_NET, type NetOptions } from '../../../src/net/options.js';
import { AutoConnect } from '../../../src/net/peer/auto-connect.js';
import { readFixedSeeds } from '../../../src/net/peer/fixed-seeds.js';
import { addressText, groupOf, isRoutable, type NetAddress, parseHost, writeAddressV2 } from '../../../src/net/wire/net-address.js';

const START = 1_800_000_000;
const WEEK = 7 * 24 * 60 * 60;

t.test('what came with the program is whole: addresses others can reach, none twice', async (t) => {
  const counts: Record<string, number> = {};
  for (const name of ['main', 'test', 'testnet4', 'signet', 'regtest'] as const) {
    const params = chainParams(name);
    const seeds = readFixedSeeds(params.fixedSeeds);
    counts[name] = seeds.length;
    const writer = new ByteWriter();
    for (const seed of seeds) writeAddressV2(writer, seed);
    t.equal(Buffer.from(writer.finish()).toString('base64'), params.fixedSeeds.replaceAll('\n', ''), `${name}: nothing was skipped`);
    t.equal(new Set(seeds.map(addressText)).size, seeds.length);
    t.same(seeds.filter((seed) => !isRoutable(seed) || seed.port === 0).map(addressText), [], 'reachable');
  }
  t.same(counts, { main: 340, test: 90, testnet4: 90, signet: 85, regtest: 0 });
  const own = chainParams('signet', { signetChallenge: Uint8Array.of(0x51) }, { sha256d: () => new Uint8Array(32) } as never);
  t.equal(own.fixedSeeds, '', "a signet of one's own has none");
});

/** A node that starts at START; time is moved by `pass`. */
function begin(
  chain: ChainName,
  options: Partial<NetOptions> = {},
  known: readonly NetAddress[] = [],
  resolve = async (): Promise<NetAddress[]> => [],
) {
  let seconds = START;
  const lines: string[] = [];
  const called: string[] = [];
  // The same in each run, and not the same each time.
  let state = 7;
  const random = (): number => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
  const manager = new AddrManager(() => seconds, random);
  for (const address of known) manager.add({ ...address, time: START, services: 9n }, address);
  const context = {
    options: { ...DEFAULT_NET, port: 8333, ...options },
    params: chainParams(chain),
    chain: { isInitialBlockDownload: () => true },
    groupOf,
    clock: { nowSeconds: () => seconds, nowMs: () => seconds * 1000, realSeconds: () => seconds },
    log: { info: (line: string) => lines.push(line), debug: () => {}, error: (line: string) => lines.push(line) },
    random,
  } as unknown as NetContext;
  const auto = new AutoConnect(context, {
    manager,
    peers: () => [],
    connect: async (target) => {
      called.push(typeof target === 'string' ? target : addressText(target));
      return null;
    },
    resolve,
    isUnwanted: () => false,
  });
  auto.start([]);
  const pass = async (s: number): Promise<void> => {
    seconds += s;
    mock.timers.tick(500);
    for (let i = 0; i < 50; i++) await Promise.resolve();
  };
  return { manager, lines, called, pass, stop: () => auto.stop() };
}

t.test('a minute without any address', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const adding = "Adding fixed seed nodes as DNS doesn't seem to be available.";

  const node = begin('main');
  await node.pass(1);
  t.ok(node.lines.includes('0 addresses found from DNS seeds'));
  await node.pass(59);
  t.equal(node.manager.size, 0, 'not before');
  await node.pass(1);
  t.ok(node.manager.size > 300);
  t.equal(node.called.length, 1, 'one is called at once');
  const times = node.manager.sample(0, 0).map(({ time }) => START + 61 - time);
  t.ok(
    times.every((age) => age >= WEEK && age <= 2 * WEEK),
    'one to two weeks old',
  );
  await node.pass(600);
  t.equal(node.lines.filter((line) => line === adding).length, 1, 'once');
  node.stop();

  // DNS that never answers holds up nobody.
  const deaf = begin('main', {}, [], () => new Promise(() => {}));
  await deaf.pass(1);
  await deaf.pass(60);
  t.ok(deaf.manager.size > 300);
  t.equal(deaf.called.length, 1);
  deaf.stop();

  const [one] = [parseHost('8.8.8.8', 8333) as NetAddress];
  for (const [what, other] of [
    ['an address is known', begin('main', {}, [one])],
    ['DNS told one', begin('main', {}, [], async () => [one])],
    ['-fixedseeds=0', begin('main', { fixedSeeds: false })],
    ['a network without any', begin('regtest')],
  ] as const) {
    await other.pass(1);
    const before = other.manager.size;
    await other.pass(120);
    t.equal(other.manager.size, before, what);
    t.notOk(other.lines.includes(adding), what);
    other.stop();
  }
});
