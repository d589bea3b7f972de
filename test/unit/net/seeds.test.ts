// Tests how a node without addresses finds peers: DNS seeds, and the fixed seeds of the program when DNS returns
// nothing for a minute.
import { mock } from 'node:test';
import t from 'tap';
import { ByteWriter } from '../../../src/consensus/bytes/writer.js';
import type { ChainName } from '../../../src/consensus/params/chain-params.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import type { NetContext } from '../../../src/net/context.js';
import { DEFAULT_NET, type NetOptions } from '../../../src/net/options.js';
import { AutoConnect, readFixedSeeds } from '../../../src/net/peer/auto-connect.js';
import type { ConnectionType, Peer } from '../../../src/net/peer/peer.js';
import { Routes } from '../../../src/net/peer/routes.js';
import { addressText, groupOf, isRoutable, type NetAddress, parseHost, writeAddressV2 } from '../../../src/net/wire/net-address.js';
import { addressBook } from '../../framework/address-book.js';

const START = 1_800_000_000;
const WEEK = 7 * 24 * 60 * 60;

/** Makes a resolver that finds no address and records the names it is asked to resolve. */
function silentDns(): { names: string[]; resolve: (host: string) => Promise<NetAddress[]> } {
  const names: string[] = [];
  return {
    names,
    resolve: async (host) => {
      names.push(host);
      return [];
    },
  };
}

t.test('contains only complete, routable and distinct fixed seeds', async (t) => {
  const counts: Record<string, number> = {};
  for (const name of ['main', 'test', 'testnet4', 'signet', 'regtest'] as const) {
    const params = chainParams(name);
    const seeds = readFixedSeeds(params.fixedSeeds);
    counts[name] = seeds.length;
    const writer = new ByteWriter();
    for (const seed of seeds) writeAddressV2(writer, seed);
    t.equal(Buffer.from(writer.finish()).toString('base64'), params.fixedSeeds.replaceAll('\n', ''), `${name}: nothing was skipped`);
    t.equal(new Set(seeds.map(addressText)).size, seeds.length);
    t.same(seeds.filter((seed) => !isRoutable(seed) || (seed.network === 'i2p') !== (seed.port === 0)).map(addressText), [], 'reachable');
  }
  t.same(counts, { main: 2059, test: 181, testnet4: 230, signet: 170, regtest: 0 });
  const own = chainParams('signet', { signetChallenge: Uint8Array.of(0x51) }, { sha256d: () => new Uint8Array(32) } as never);
  t.equal(own.fixedSeeds, '', "a signet of one's own has none");
});

/** Makes a node that starts at START. `pass` advances the time. */
function begin(
  chain: ChainName,
  options: Partial<NetOptions> = {},
  known: readonly NetAddress[] = [],
  resolve: (host: string) => Promise<NetAddress[]> = async () => [],
  state: { active?: boolean; wantsExtra?: boolean; looksFurther?: boolean; peers?: readonly Peer[] } = {},
) {
  let seconds = START;
  const lines: string[] = [];
  const called: string[] = [];
  const types: string[] = [];
  // A pseudo-random sequence that is the same in each run.
  let dice = 7;
  const random = (): number => {
    dice = (dice * 48_271) % 0x7fffffff;
    return dice / 0x7fffffff;
  };
  const manager = addressBook(() => seconds, random);
  for (const address of known) manager.add({ ...address, time: START, services: 9n }, address);
  const context = {
    options: { ...DEFAULT_NET, port: 8333, ...options },
    routes: new Routes({ ...DEFAULT_NET, ...options }),
    params: chainParams(chain),
    chain: { isInitialBlockDownload: () => true, tip: { time: 0 } },
    groupOf,
    clock: { nowSeconds: () => seconds, nowMs: () => seconds * 1000, realSeconds: () => seconds },
    log: {
      info: (line: string) => lines.push(line),
      warn: (line: string) => lines.push(line),
      debug: () => {},
      error: (line: string) => lines.push(line),
    },
    random,
  } as unknown as NetContext;
  const auto = new AutoConnect(context, {
    manager,
    peers: () => state.peers ?? [],
    connect: async (target, type) => {
      called.push(typeof target === 'string' ? target : addressText(target));
      types.push(type);
      return null;
    },
    resolve,
    isUnwanted: () => false,
    active: () => state.active ?? true,
    wantsExtra: () => state.wantsExtra ?? false,
    wantsExtraBlockRelay: () => state.looksFurther ?? false,
  });
  auto.start([]);
  const pass = async (s: number): Promise<void> => {
    seconds += s;
    mock.timers.tick(500);
    for (let i = 0; i < 50; i++) await Promise.resolve();
  };
  return { manager, lines, called, types, pass, stop: () => auto.stop() };
}

t.test('adds fixed seeds after a minute without any address', async (t) => {
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
  t.equal(node.types.filter((type) => type !== 'addr-fetch').length, 1, 'one is called at once');
  const times = node.manager.sample(0, 0).map(({ time }) => START + 61 - time);
  t.ok(
    times.every((age) => age >= WEEK && age <= 2 * WEEK),
    'one to two weeks old',
  );
  await node.pass(600);
  t.equal(node.lines.filter((line) => line === adding).length, 1, 'once');
  node.stop();

  // A resolver that never answers does not delay the fixed seeds.
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

t.test('logs once a minute that no peer is connected, on a network that has seeds', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const lonely = (lines: readonly string[]) => lines.filter((line) => line.startsWith('No peers are connected'));
  const state: { active?: boolean; peers?: readonly Peer[] } = {};
  const node = begin('main', {}, [], undefined, state);
  await node.pass(1);
  await node.pass(58);
  t.same(lonely(node.lines), []);
  await node.pass(1);
  t.match(lonely(node.lines), [/^No peers are connected; 0 addresses were tried, 0 are known.*TCP port 8333/]);
  await node.pass(59);
  t.equal(lonely(node.lines).length, 1);
  await node.pass(1);
  t.match(lonely(node.lines)[1], /; [1-9]\d* addresses were tried, [1-9]\d* are known/, 'fixed seeds were tried meanwhile');
  state.active = false;
  await node.pass(120);
  t.equal(lonely(node.lines).length, 2, 'not while the network is inactive');
  state.active = true;
  state.peers = [{ ready: true } as Peer];
  await node.pass(120);
  t.equal(lonely(node.lines).length, 2, 'not while a peer is connected');
  state.peers = [];
  await node.pass(59);
  t.equal(lonely(node.lines).length, 2, 'a minute counts from the last peer');
  await node.pass(1);
  t.equal(lonely(node.lines).length, 3);
  node.stop();
  for (const [chain, options] of [
    ['regtest', {}],
    ['main', { connectOnly: true }],
  ] as const) {
    const other = begin(chain, options);
    for (let i = 0; i < 5; i++) await other.pass(60);
    t.same(lonely(other.lines), [], chain);
    other.stop();
  }
});

t.test('adds fixed seeds of reachable networks only', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const networks = async (options: Partial<NetOptions>): Promise<string[]> => {
    const node = begin('main', options);
    await node.pass(1);
    await node.pass(60);
    node.stop();
    return [...new Set(node.manager.sample(0, 0).map(({ network }) => network))].sort();
  };
  const local = { host: '127.0.0.1', port: 9050 };
  t.same(await networks({}), ['ipv4', 'ipv6']);
  t.same(await networks({ onionProxy: local, i2pSam: local }), ['i2p', 'ipv4', 'ipv6', 'onion']);
  t.same(await networks({ onlyNets: ['i2p'], i2pSam: local }), ['i2p']);
});

t.test('queries DNS seeds only when peers are needed and the network is active', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const { names, resolve } = silentDns();
  const waiting = 'Waiting for network to be reactivated before querying DNS seeds.';
  const off = { active: false };
  const node = begin('main', {}, [], resolve, off);
  await node.pass(1);
  await node.pass(30);
  t.same(names, []);
  t.equal(node.lines.filter((line) => line === waiting).length, 1);
  off.active = true;
  await node.pass(1);
  const seeds = chainParams('main').dnsSeeds;
  t.same([...names].sort(), seeds.map((name) => `x9.${name}`).sort(), 'each once');
  await node.pass(600);
  t.equal(names.length, seeds.length);
  const fetchedFrom = node.called.filter((_, i) => node.types[i] === 'addr-fetch');
  t.same(fetchedFrom.sort(), [...seeds].sort(), 'those that tell nothing about services are asked as peers');
  node.stop();

  // Addresses are known, but none of them answers.
  names.length = 0;
  const few = begin('main', {}, [parseHost('8.8.8.8', 8333) as NetAddress], resolve);
  await few.pass(1);
  t.equal(names.length, 0);
  await few.pass(10);
  t.equal(names.length, 3, 'not more at once than there is need for');
  await few.pass(1);
  t.equal(names.length, 3);
  await few.pass(11);
  t.equal(names.length, 6);
  few.stop();

  // With a proxy the node connects to the seeds' names through it and resolves none.
  names.length = 0;
  const hidden = begin('main', { proxies: { names: { host: '127.0.0.1', port: 9050 } }, port: 9999 }, [], resolve);
  await hidden.pass(1);
  t.same(names, []);
  t.same([...hidden.called].sort(), seeds.map((name) => `${name}:8333`).sort(), 'at the port of the network, whatever ours is');
  hidden.stop();
});

t.test('queries DNS seeds directly only if it also connects to clearnet addresses directly', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const { names, resolve } = silentDns();
  const onionProxy = { host: '127.0.0.1', port: 9050 };
  const hidden = begin('main', { onlyNets: ['onion'], onionProxy }, [], resolve);
  for (let i = 0; i < 5; i++) await hidden.pass(60);
  t.same(names, []);
  t.same(
    hidden.called.filter((_, i) => hidden.types[i] === 'addr-fetch'),
    [],
    'nor are they called',
  );
  hidden.stop();
  const open = begin('main', { onlyNets: ['onion', 'ipv6'], onionProxy }, [], resolve);
  await open.pass(1);
  t.equal(names.length, chainParams('main').dnsSeeds.length);
  open.stop();
});

t.test('connects to no automatic peers with -connect, but uses -seednode and -dnsseed', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const { names, resolve } = silentDns();
  const known = [parseHost('8.8.8.8', 8333) as NetAddress];
  const only = { connectOnly: true, seedNodes: ['1.2.3.4:5'] };
  const node = begin('main', { ...only, connect: ['9.9.9.9'], dnsSeed: false }, known, resolve);
  for (let i = 0; i < 5; i++) await node.pass(60);
  t.same(node.called, ['1.2.3.4:5']);
  t.same(node.types, ['addr-fetch']);
  t.same(names, []);
  node.stop();
  const nobody = begin('main', { ...only, connect: [], dnsSeed: false }, known, resolve);
  await nobody.pass(60);
  t.same(nobody.called, [], '-connect=0');
  nobody.stop();
  const asking = begin('main', { ...only, connect: ['9.9.9.9'] }, [], resolve);
  await asking.pass(1);
  t.same(asking.called, ['1.2.3.4:5']);
  await asking.pass(30);
  t.ok(names.length > 3, 'DNS seeds half a minute later');
  t.same(asking.called, ['1.2.3.4:5', ...names.map((name) => name.replace('x9.', ''))]);
  t.ok(asking.types.every((type) => type === 'addr-fetch'));
  asking.stop();
});

t.test('asks the nodes of -seednode one after the other while it has fewer than two peers', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const seedNodes = ['1.1.1.1:1', '2.2.2.2:2', '3.3.3.3:3'];
  const options = { seedNodes, dnsSeed: false, fixedSeeds: false };
  const asked = ({ called, types }: ReturnType<typeof begin>): string[] => called.filter((_, i) => types[i] === 'addr-fetch');

  const state: { peers: readonly Peer[] } = { peers: [] };
  const empty = begin('main', options, [], undefined, state);
  t.equal(asked(empty).length, 1, 'the first at once, because no address is known');
  t.match(empty.lines.at(-1), /^Empty addrman, adding seednode \([123.:]+\) to addrfetch$/);
  await empty.pass(9);
  t.equal(asked(empty).length, 1);
  await empty.pass(1);
  t.equal(asked(empty).length, 2);
  const peer = { type: 'outbound-full-relay', ready: true, address: parseHost('8.8.8.8', 8333) } as Peer;
  state.peers = [peer, peer];
  for (let i = 0; i < 3; i++) await empty.pass(10);
  t.equal(asked(empty).length, 2, 'two peers suffice');
  state.peers = [peer];
  for (let i = 0; i < 3; i++) await empty.pass(10);
  t.same(asked(empty).sort(), seedNodes, 'each of them once');
  empty.stop();

  const knowing = begin('main', options, [parseHost('8.8.8.8', 8333) as NetAddress]);
  await knowing.pass(9);
  t.same(asked(knowing), []);
  await knowing.pass(1);
  t.equal(asked(knowing).length, 1);
  t.match(knowing.lines, [/^DNS seeding/, /^Couldn't connect to peers from addrman after 10 seconds\. Adding seednode/]);
  knowing.stop();
});

t.test('limits automatic outbound connections by type and network group', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const at = (host: string): NetAddress => parseHost(host, 8333) as NetAddress;
  const peer = (type: ConnectionType, host: string): Peer =>
    ({ type, address: at(host), inbound: type === 'inbound', manual: type === 'manual', ready: true }) as Peer;
  const only = [at('8.8.1.1')];
  const quiet = { dnsSeed: false, fixedSeeds: false };
  const concurrentCalls = async (type: ConnectionType): Promise<number> => {
    const node = begin('main', quiet, only, undefined, { peers: [peer(type, '8.8.2.2')] });
    await node.pass(1);
    node.stop();
    return node.called.length;
  };
  t.equal(await concurrentCalls('outbound-full-relay'), 0, 'from the same neighbourhood');
  t.equal(await concurrentCalls('inbound'), 1);
  t.equal(await concurrentCalls('manual'), 1);

  const full = Array.from({ length: 10 }, (_, i) => peer(i < 8 ? 'outbound-full-relay' : 'block-relay-only', `${20 + i}.1.1.1`));
  const state = { wantsExtra: false, peers: full };
  const node = begin('main', quiet, only, undefined, state);
  const longer = () => node.types.filter((type) => type !== 'feeler');
  await node.pass(1);
  t.same(longer(), []);
  state.wantsExtra = true;
  await node.pass(1);
  t.same(longer(), ['outbound-full-relay'], 'one more while the tip may be stale');
  state.peers = [...full, peer('outbound-full-relay', '40.1.1.1')];
  await node.pass(1);
  t.equal(longer().length, 1);
  node.stop();

  // About every five minutes the node opens one more connection for blocks only, but never two at once.
  const ahead = { looksFurther: false, peers: full };
  const curious = begin('main', quiet, only, undefined, ahead);
  const fresh = () => curious.types.filter((type) => type === 'block-relay-only').length;
  for (let i = 0; i < 60; i++) await curious.pass(60);
  t.equal(fresh(), 0, 'not before the chain has been in step');
  ahead.looksFurther = true;
  for (let i = 0; i < 60; i++) await curious.pass(60);
  t.ok(fresh() >= 4 && fresh() <= 30, `${fresh()} in an hour`);
  const before = fresh();
  ahead.peers = [...full, peer('block-relay-only', '41.1.1.1')];
  for (let i = 0; i < 60; i++) await curious.pass(60);
  t.equal(fresh(), before);
  curious.stop();
});
