// Tests inbound and outbound connections, relay of addresses, the node's own address, and the detection of a stale tip
// and a wrong clock.
import fs from 'node:fs';
import path from 'node:path';
import { mock } from 'node:test';
import t from 'tap';
import type { Logger } from '../../../src/log/logger.js';
import { AddrRelay } from '../../../src/net/address/addr-relay.js';
import { LocalAddresses } from '../../../src/net/address/local-addresses.js';
import type { NetContext } from '../../../src/net/context.js';
import type { Net } from '../../../src/net/net.js';
import { DEFAULT_NET, type NetOptions, NO_PERMISSIONS } from '../../../src/net/options.js';
import { Bans, parseSubnet, subnetContains } from '../../../src/net/peer/bans.js';
import { ClockCheck } from '../../../src/net/peer/clock-check.js';
import { Outbound } from '../../../src/net/peer/outbound.js';
import { type ConnectionType, Peer } from '../../../src/net/peer/peer.js';
import { permissionsFor } from '../../../src/net/peer/permissions.js';
import type { SocketConnection } from '../../../src/net/peer/socket-connection.js';
import { StaleTip } from '../../../src/net/sync/stale-tip.js';
import { decodeAddr, encodeAddr } from '../../../src/net/wire/messages.js';
import { addressText, hostText, type NetAddress, parseHost } from '../../../src/net/wire/net-address.js';
import { networkOf } from '../../../src/node/network-access.js';
import { createNetworkControl } from '../../../src/node/network-control.js';
import { addressBook } from '../../framework/address-book.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const NOW = 1_700_000_000;
const at = (host: string, port = 8333): NetAddress => parseHost(host, port) as NetAddress;
const subnet = (text: string) => parseSubnet(text) as NonNullable<ReturnType<typeof parseSubnet>>;
const ONION = 'pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion';

function talkingPeer(id: number, type: ConnectionType, host: string) {
  const sent: { command: string; payload: Uint8Array }[] = [];
  const peer = new Peer(id, type, at(host), host, '', NO_PERMISSIONS, NOW);
  peer.connection = { send: (command: string, payload: Uint8Array) => sent.push({ command, payload }) } as unknown as SocketConnection;
  return { peer, sent };
}

t.test('finds bans by any address of the subnet until they expire', async (t) => {
  let now = NOW;
  const bans = new Bans(
    null,
    () => now,
    () => {},
  );
  const nets = ['1.2.3.4', '10.0.0.0/8', '77.1.2.0/23', '2001:db8::/33', 'fe80::1', ONION];
  for (const [i, text] of nets.entries()) bans.add(subnet(text), NOW + 100 + i);
  const asked = [
    '1.2.3.4',
    '1.2.3.5',
    '10.255.0.1',
    '11.0.0.1',
    '77.1.3.255',
    '77.1.4.0',
    '2001:db8:7fff::1',
    '2001:db8:8000::1',
    'fe80::1',
    'fe80::2',
    ONION,
  ];
  t.same(
    asked.filter((host) => bans.isBanned(at(host))),
    ['1.2.3.4', '10.255.0.1', '77.1.3.255', '2001:db8:7fff::1', 'fe80::1', ONION],
  );
  for (const host of asked) {
    t.equal(
      bans.isBanned(at(host)),
      nets.some((text) => subnetContains(subnet(text), at(host))),
      host,
    );
  }
  now = NOW + 101;
  t.equal(bans.isBanned(at('1.2.3.4')), false);
  t.equal(bans.isBanned(at('10.0.0.1')), false);
  t.equal(bans.isBanned(at('77.1.2.0')), true);
  t.equal(bans.list().length, 4);
  bans.clear();
  t.equal(bans.isBanned(at('77.1.2.0')), false);
});

t.test('setban applies the default ban time, and getnodeaddresses omits banned addresses', async (t) => {
  const bans = new Bans(
    null,
    () => NOW,
    () => {},
  );
  const addresses = addressBook(() => NOW);
  for (const host of ['8.8.8.8', '9.9.9.9']) addresses.add({ ...at(host), time: NOW - 100, services: 9n }, at('7.7.7.7'));
  const room = {
    transport: { bans, addresses },
    peers: [],
    options: { banSeconds: 500 },
    clock: { nowSeconds: () => NOW },
  };
  const control = createNetworkControl(() => room as unknown as Net);
  const untilOf = (seconds: number, absolute: boolean): number | undefined => {
    bans.clear();
    control.ban('9.9.9.9', seconds, absolute);
    return control.bans()[0]?.until;
  };
  t.equal(untilOf(NOW + 70, true), NOW + 70);
  t.equal(untilOf(70, false), NOW + 70);
  t.equal(untilOf(0, false), NOW + 500);
  t.equal(untilOf(0, true), NOW + 500, 'the usual time from now, not 1970');
  t.equal(untilOf(-1, true), NOW + 500);
  t.same(
    control.knownAddresses(0).map(({ address }) => address),
    ['8.8.8.8'],
    'without the banned one',
  );
});

t.test('neither stores, relays nor sends banned and discouraged addresses', async (t) => {
  const bans = new Bans(
    null,
    () => NOW,
    () => {},
  );
  const manager = addressBook(() => NOW);
  const options = { ...DEFAULT_NET, listen: false, legacyPeers: true };
  let nowMs = NOW * 1000;
  const relay = new AddrRelay(
    {
      options,
      clock: { nowSeconds: () => NOW, nowMs: () => nowMs },
      log: { debug: () => {} },
      random: () => 0.5,
      systemOf: () => 0,
      chain: { isInitialBlockDownload: () => false },
    } as unknown as NetContext,
    manager,
    () => null,
    (address) => bans.isBanned(address) || bans.isDiscouraged(address),
  );
  bans.add(subnet('9.9.0.0/16'), NOW + 100);
  bans.discourage(at('10.10.10.10'));
  bans.discourage(at('20.20.20.20'));
  const from = talkingPeer(1, 'outbound-full-relay', '5.5.5.5');
  const to = talkingPeer(2, 'inbound', '6.6.6.6');
  for (const { peer } of [from, to]) relay.addPeer(peer);
  nowMs += 60_000;
  const heard = ['8.8.8.8', '9.9.9.9', '20.20.20.20', '30.30.30.30'].map((host) => ({ ...at(host), time: NOW, services: 9n }));
  relay.receiveAddr(from.peer, encodeAddr(heard), false);
  t.same(manager.sample(0, 0).map(hostText).sort(), ['30.30.30.30', '8.8.8.8']);
  relay.send(to.peer);
  const told = (): string[] =>
    to.sent
      .splice(0)
      .flatMap(({ payload }) => decodeAddr(payload).map(hostText))
      .sort();
  t.same(told(), ['30.30.30.30', '8.8.8.8']);

  for (let i = 1; i <= 100; i++) manager.add({ ...at(`40.${i}.1.1`), time: NOW, services: 9n }, at('5.5.5.5'));
  bans.add(subnet('40.0.0.0/8'), NOW + 100);
  relay.answerGetAddr(to.peer);
  nowMs += 3_600_000;
  relay.send(to.peer);
  t.same(
    told().filter((host) => host.startsWith('40.')),
    [],
  );
});

t.test('caches the answer to getaddr for a day, separately for each network and listener', async (t) => {
  const manager = addressBook(() => NOW);
  for (let i = 1; i <= 250; i++) manager.add({ ...at(`40.${i}.1.1`), time: NOW, services: 9n }, at(`${i}.5.5.5`));
  let nowMs = NOW * 1000;
  const relay = new AddrRelay(
    {
      options: { ...DEFAULT_NET, listen: false },
      clock: { nowSeconds: () => NOW, nowMs: () => nowMs },
      log: { debug: () => {} },
      random: pseudoRandom(2),
      systemOf: () => 0,
      chain: { isInitialBlockDownload: () => false },
    } as unknown as NetContext,
    manager,
    () => null,
    () => false,
  );
  let id = 0;
  const answer = (host: string, bindText: string): string => {
    const sent: Uint8Array[] = [];
    const peer = new Peer(++id, 'inbound', at(host), host, bindText, NO_PERMISSIONS, NOW);
    peer.connection = { send: (_: string, payload: Uint8Array) => sent.push(payload) } as unknown as SocketConnection;
    relay.addPeer(peer);
    relay.answerGetAddr(peer);
    nowMs += 1;
    relay.send(peer);
    relay.forgetPeer(peer);
    return sent
      .flatMap((payload) => decodeAddr(payload).map(hostText))
      .sort()
      .join(' ');
  };
  const first = answer('5.5.5.5', '1.1.1.1:8333');
  t.ok(first.split(' ').length > 40);
  nowMs += 20 * 3_600_000;
  t.equal(answer('6.6.6.6', '1.1.1.1:8333'), first);
  t.not(answer('6.6.6.6', '127.0.0.1:8334'), first, 'another listener');
  t.not(answer('2a00::1', '1.1.1.1:8333'), first, 'another network');
  nowMs += 8 * 3_600_000;
  t.not(answer('5.5.5.5', '1.1.1.1:8333'), first, 'the next day');
});

t.test('grants whitelist permissions by the direction of the connection', async (t) => {
  const entry = (name: 'noban' | 'relay' | 'mempool', ways: readonly ('in' | 'out')[]) => ({
    subnet: subnet('1.2.0.0/16'),
    permissions: { ...NO_PERMISSIONS, [name]: true },
    ways,
  });
  const whitelist = [entry('noban', ['in']), entry('relay', ['out']), entry('mempool', ['in', 'out'])];
  const granted = (way: 'in' | 'out', host: string) =>
    Object.entries(permissionsFor(whitelist, way, at(host), null)).flatMap(([name, is]) => (is ? [name] : []));
  t.same(granted('in', '1.2.3.4').sort(), ['mempool', 'noban']);
  t.same(granted('out', '1.2.3.4').sort(), ['mempool', 'relay']);
  t.same(granted('in', '1.3.3.4'), []);
});

t.test('retries addnode peers that are down while the others stay connected', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const there = new Set<string>();
  const called: string[] = [];
  const names = Array.from({ length: 20 }, (_, i) => `n${i}.example`);
  const outbound = new Outbound(
    {
      options: { ...DEFAULT_NET, addNodes: names } satisfies NetOptions,
      params: { p2pPort: 8333 },
      peers: new Set(),
    } as unknown as NetContext,
    async (name) => {
      called.push(name);
      if (Number(name.slice(1, -8)) < 9) return null;
      there.add(name);
      return {} as Peer;
    },
    async (name) => there.has(name),
  );
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 300; i++) await Promise.resolve();
  };
  outbound.start();
  await settle();
  t.same(called, names.slice(0, 17), 'until eight are there');
  t.equal(there.size, 8);
  called.length = 0;
  mock.timers.tick(60_000);
  await settle();
  t.same(called, names.slice(0, 9), 'the others again, as there is no place for more');
  there.delete('n9.example');
  called.length = 0;
  mock.timers.tick(60_000);
  await settle();
  t.same(called, names.slice(0, 10));
  outbound.stop();
});

t.test('addnode refuses another spelling of a listed address', async (t) => {
  const context = { options: DEFAULT_NET, params: { p2pPort: 8333 }, peers: new Set() };
  const outbound = new Outbound(
    context as unknown as NetContext,
    async () => null,
    async () => false,
  );
  for (const [name, accepted] of [
    ['127.0.0.1', true],
    ['127.0.0.1:8333', false],
    ['127.1', false],
    ['[::ffff:127.0.0.1]:8333', false],
    ['127.0.0.1:8334', true],
    ['::1', true],
    ['[0:0::1]:8333', false],
    ['999.999', true],
    ['a.example', true],
    ['a.example:8333', true],
    ['a.example', false],
  ] as const) {
    t.equal(outbound.add(name), accepted, name);
  }
});

t.test('addnode connects to each peer once while attempts are in progress', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const there = new Set<string>();
  const calls: { name: string; encrypted: boolean; answer: (up: boolean) => void }[] = [];
  const outbound = new Outbound(
    { options: DEFAULT_NET, params: { p2pPort: 8333 }, peers: there } as unknown as NetContext,
    (name, _type, encrypted) =>
      new Promise((resolve) => {
        const answer = (up: boolean): void => {
          if (up) there.add(name);
          resolve(up ? ({} as Peer) : null);
        };
        calls.push({ name, encrypted, answer });
      }),
    async (name) => there.has(name),
  );
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 100; i++) await Promise.resolve();
  };
  const tick = async (ms: number): Promise<void> => {
    await settle();
    mock.timers.tick(ms);
    await settle();
  };
  const named = (): string[] => calls.map(({ name }) => name);
  outbound.add('early', false);
  t.same(named(), [], 'nothing is called before the start');
  outbound.start();
  await settle();
  outbound.add('a', false);
  outbound.add('b', false);
  outbound.retry();
  await tick(60_000);
  t.same(named(), ['early'], 'peers that are added during a call wait for its end');
  calls[0]!.answer(true);
  await tick(0);
  t.same(named(), ['early', 'a']);
  outbound.remove('b');
  outbound.add('b', true);
  outbound.add('c', false);
  outbound.remove('c');
  calls[1]!.answer(false);
  await tick(0);
  t.same(named(), ['early', 'a', 'b'], 'the round goes on, without what was removed');
  t.equal(calls[2]!.encrypted, true, 'as it was added last');
  calls[2]!.answer(true);
  await tick(0);
  t.same(named(), ['early', 'a', 'b', 'a'], 'what was added meanwhile causes another round at once');
  calls[3]!.answer(true);
  await tick(59_999);
  there.delete('a');
  await tick(1);
  t.same(named().slice(4), ['a'], 'a single round follows after a minute');
  outbound.stop();
});

t.test('chooses which of its own addresses it advertises to each peer', async (t) => {
  const of = (options: Partial<NetOptions>, random = 0, warnings: string[] = []) =>
    new LocalAddresses({
      options: { ...DEFAULT_NET, port: 8333, discover: false, ...options },
      random: () => random,
      log: { warn: (line: string) => warnings.push(line) } as unknown as Logger,
    });
  const list = (local: LocalAddresses) => local.list().map(({ address, score }) => `${addressText(address)} ${score}`);
  const told = (local: LocalAddresses, host: string, seen: string | null = null, cameByOnion = false): string | null => {
    const address = local.forPeer({ address: at(host), localAddress: seen === null ? null : at(seen, 1), isViaOnion: cameByOnion });
    return address === null ? null : addressText(address);
  };
  const named = of({ externalAddresses: [at('2a00::1', 77), at('8.8.8.8', 78), at('10.1.1.1'), at(ONION, 79)] });
  t.same(list(named), ['8.8.8.8:78 4', '[2a00::1]:77 4', `${ONION}:79 4`], 'what others cannot reach is left out');
  t.same([named.has(at('8.8.8.8', 78)), named.has(at('8.8.8.8', 79)), named.has(at('8.8.8.9', 78))], [true, false, false]);
  t.equal(told(named, '9.9.9.9'), '8.8.8.8:78');
  t.equal(told(named, '127.0.0.1', null, true), `${ONION}:79`, 'a peer of the onion service gets its address');
  t.equal(told(of({ externalAddresses: [at('8.8.8.8', 78)] }), '127.0.0.1', null, true), null, 'and of nothing else');
  t.equal(told(named, '2a01::1'), '[2a00::1]:77');
  t.equal(told(named, ONION), `${ONION}:79`);
  t.equal(told(named, '127.0.0.1'), `${ONION}:79`, 'it may come through Tor');
  t.equal(told(of({ externalAddresses: [at(ONION)] }), '9.9.9.9'), null, 'a hidden address is for those that are hidden');
  t.equal(told(of({ externalAddresses: [at('8.8.8.8')] }), ONION), null);
  t.equal(told(of({ externalAddresses: [at('8.8.8.8', 78)] }), '2a01::1'), '8.8.8.8:78');
  const elsewhere = { externalAddresses: [at('8.8.8.8')], onlyNets: ['onion'] };
  t.same([list(of(elsewhere)), list(of({ ...elsewhere, legacyPeers: true }))], [['8.8.8.8:8333 4'], []]);

  const found = of({ discover: true });
  const interfaces = [
    { address: '127.0.0.1', internal: true },
    { address: '8.8.4.4', internal: false },
    { address: '192.168.0.5', internal: false },
    { address: 'fe80::1', internal: false },
  ];
  found.discover(() => interfaces, ['0.0.0.0', '8.8.4.5']);
  t.same(list(found), ['8.8.4.4:8333 1', '8.8.4.5:8333 2']);
  found.seen(at('8.8.4.4', 5));
  found.seen(at('8.8.4.4', 5));
  t.equal(told(found, '9.9.9.9'), '8.8.4.4:8333', 'the one that peers called');
  const silent = of({});
  const forbidden = (): never => {
    throw new Error('Address family not supported by protocol');
  };
  silent.discover(forbidden, []);
  t.same(list(silent), [], 'without -discover nothing is asked');
  const warnings: string[] = [];
  const boxed = of({ discover: true }, 0, warnings);
  boxed.discover(forbidden, ['8.8.4.5']);
  t.same(list(boxed), ['8.8.4.5:8333 2'], 'what is listened on is known without asking');
  t.match(warnings, [/can't be listed: Address family/]);

  t.equal(told(of({ discover: true }), '9.9.9.9', '7.7.7.7'), '7.7.7.7:8333', 'as the peer sees us');
  t.equal(told(of({}), '9.9.9.9', '7.7.7.7'), null);
  t.equal(told(of({ discover: true }), '127.0.0.1', '7.7.7.7'), null);
  const sure = { discover: true, externalAddresses: [at('8.8.8.8')] };
  t.equal(told(of(sure, 0.4), '9.9.9.9', '7.7.7.7'), '7.7.7.7:8333');
  t.equal(told(of(sure, 0.6), '9.9.9.9', '7.7.7.7'), '8.8.8.8:8333');
});

t.test('getpeerinfo shows the network through which a peer is connected', async (t) => {
  const shown = (host: string, name = `${host}:8333`, cameByOnion = false) =>
    networkOf({ address: at(host), name, isViaOnion: cameByOnion });
  t.equal(shown('127.0.0.1', '127.0.0.1:40000', true), 'onion', 'it came to our onion service');
  t.same(
    ['8.8.8.8', '2a00::1', ONION].map((host) => shown(host)),
    ['ipv4', 'ipv6', 'onion'],
  );
  t.same(
    ['127.0.0.1', '192.168.0.1', '::1'].map((host) => shown(host)),
    ['unroutable', 'unroutable', 'unroutable'],
  );
  t.same(
    [shown('0.0.0.0', 'node.example:8333'), shown('0.0.0.0', 'abcdefghij234567.onion:8333')],
    ['unroutable', 'onion'],
    'through a proxy',
  );
});

t.test('warns when the clock differs from those of the peers by more than ten minutes', async (t) => {
  const warned: string[] = [];
  const check = new ClockCheck((text) => warned.push(text));
  for (const offset of [-900, -1_000, -1_100, 3]) check.add(offset);
  t.same([check.offset, check.warning], [0, ''], 'four say nothing');
  check.add(-1_200);
  t.equal(check.offset, -1_000);
  t.match(check.warning, /17 minutes ahead of those of its peers/);
  check.add(-1_000);
  t.equal(warned.length, 1);
  for (let i = 0; i < 50; i++) check.add(600);
  t.same([check.offset, check.warning], [600, ''], 'only the newest offsets count, and ten minutes are allowed');
  for (let i = 0; i < 50; i++) check.add(661);
  t.match(check.warning, /11 minutes behind/);
  t.equal(warned.length, 2);
});

t.test('disconnects the youngest extra block-relay-only peer unless it brought a block', async (t) => {
  let now = NOW;
  let inStep = false;
  const gone: number[] = [];
  const peers = new Set<Peer>();
  const join = (id: number, lastBlockTime: number): Peer => {
    const { peer } = talkingPeer(id, 'block-relay-only', `${id}.1.1.1`);
    peer.lastBlockTime = lastBlockTime;
    peers.add(peer);
    return peer;
  };
  // The full-relay connections are complete. None of them is closed for another type of connection.
  for (const id of [1, 2]) peers.add(talkingPeer(id, 'outbound-full-relay', `${id}.1.1.1`).peer);
  const stale = new StaleTip(
    {
      peers,
      params: { powTargetSpacing: 600 },
      clock: { nowSeconds: () => now },
      log: { info: () => {}, debug: () => {} },
      disconnect: (peer: Peer) => {
        gone.push(peer.id);
        peers.delete(peer);
      },
    } as unknown as NetContext,
    { searching: () => true, inFlight: () => 0, inStep: () => inStep, targets: { full: 2, blocks: 2 } },
  );
  const pass = (seconds: number): void => {
    for (const end = now + seconds; now < end; now += 5) stale.tick();
  };
  join(11, NOW);
  const second = join(12, NOW);
  pass(100);
  t.equal(stale.wantsExtraBlockRelay, false);
  inStep = true;
  pass(100);
  inStep = false;
  pass(100);
  t.equal(stale.wantsExtraBlockRelay, true, 'once is enough');
  t.same(gone, []);
  const third = join(13, 0);
  third.sync.inFlight.push({} as never);
  pass(100);
  t.same(gone, [], 'a block of it is on its way');
  third.sync.inFlight.length = 0;
  pass(50);
  t.same(gone, [13], 'the peer sent no new block');
  join(14, NOW + 1);
  pass(50);
  t.same(gone, [13, 12], 'it did: it takes the place of the one before');
  t.equal(second.lastBlockTime, NOW);
});

t.test('adds an outbound peer when the tip is stale, then drops the one without announcements', async (t) => {
  let now = NOW;
  let inFlight = 0;
  let searching = true;
  const gone: number[] = [];
  const peers = new Set<Peer>();
  const join = (id: number, type: ConnectionType, announcedAt: number): Peer => {
    const { peer } = talkingPeer(id, type, `${id}.1.1.1`);
    peer.sync.announcedAt = announcedAt;
    peers.add(peer);
    return peer;
  };
  const stale = new StaleTip(
    {
      peers,
      params: { powTargetSpacing: 600 },
      clock: { nowSeconds: () => now },
      log: { info: () => {}, debug: () => {} },
      disconnect: (peer: Peer) => {
        gone.push(peer.id);
        peers.delete(peer);
      },
    } as unknown as NetContext,
    { searching: () => searching, inFlight: () => inFlight, inStep: () => false, targets: { full: 2, blocks: 1 } },
  );
  const pass = (seconds: number): void => {
    for (const end = now + seconds; now < end; now += 5) stale.tick();
  };
  pass(1_700);
  t.equal(stale.wantsExtra, false, 'three times the spacing');
  inFlight = 1;
  pass(700);
  t.equal(stale.wantsExtra, false, 'a block is on its way');
  inFlight = 0;
  searching = false;
  pass(700);
  t.equal(stale.wantsExtra, false);
  searching = true;
  pass(700);
  t.equal(stale.wantsExtra, true);
  stale.onTip();
  pass(700);
  t.equal(stale.wantsExtra, false, 'there was a block');
  pass(2_500);
  t.equal(stale.wantsExtra, true);

  join(1, 'block-relay-only', 0);
  join(2, 'outbound-full-relay', 0).sync.protectedFromChainSync = true;
  const lazy = join(3, 'outbound-full-relay', NOW);
  join(4, 'manual', 0);
  join(5, 'inbound', 0);
  pass(100);
  t.same(gone, [], 'three are wanted');
  join(6, 'outbound-full-relay', NOW + 5);
  lazy.sync.inFlight.push({} as never);
  pass(100);
  t.same(gone, [], 'a block of it is on its way');
  lazy.sync.inFlight.length = 0;
  pass(50);
  t.same(gone, [3]);
  t.equal(stale.wantsExtra, false, 'until the next look');
  pass(1_000);
  t.same(gone, [3]);
  t.equal(stale.wantsExtra, true);
});

t.test('gives an extra outbound peer thirty seconds to announce a block', async (t) => {
  const goneAfter = (connectedAgo: number): number[] => {
    let now = NOW;
    const gone: number[] = [];
    const peers = new Set<Peer>();
    for (const id of [1, 2]) {
      const peer = new Peer(
        id,
        'outbound-full-relay',
        at(`${id}.1.1.1`),
        '',
        '',
        NO_PERMISSIONS,
        NOW + 45 - (id === 2 ? connectedAgo : 900),
      );
      peer.sync.announcedAt = id === 2 ? 0 : NOW;
      peers.add(peer);
    }
    const stale = new StaleTip(
      {
        peers,
        params: { powTargetSpacing: 600 },
        clock: { nowSeconds: () => now },
        log: { info: () => {}, debug: () => {} },
        disconnect: (peer: Peer) => gone.push(peer.id),
      } as unknown as NetContext,
      { searching: () => true, inFlight: () => 0, inStep: () => false, targets: { full: 1, blocks: 0 } },
    );
    // The first check is 45 seconds after the start.
    now += 44;
    stale.tick();
    t.same(gone, [], 'not before');
    now++;
    stale.tick();
    return gone;
  };
  t.same(goneAfter(30), []);
  t.same(goneAfter(31), [2]);
});

t.test('treats a tip as stale once it is older than three block intervals', async (t) => {
  const wantsAfter = (age: number): boolean => {
    let now = NOW;
    const stale = new StaleTip(
      {
        peers: new Set(),
        params: { powTargetSpacing: 600 },
        clock: { nowSeconds: () => now },
        log: { info: () => {}, debug: () => {} },
        disconnect: () => {},
      } as unknown as NetContext,
      { searching: () => true, inFlight: () => 0, inStep: () => false, targets: { full: 8, blocks: 2 } },
    );
    // The node checks for a stale tip at most every ten minutes. This is the first check, although it is late.
    now += 5_000 - age;
    stale.onTip();
    now = NOW + 5_000;
    stale.tick();
    return stale.wantsExtra;
  };
  t.equal(wantsAfter(1_800), false);
  t.equal(wantsAfter(1_801), true);
});

t.test('creates a missing ban list file at once', (t) => {
  const file = path.join(t.testdir(), 'banlist.json');
  const notes: string[] = [];
  const open = () =>
    new Bans(
      file,
      () => NOW,
      () => {},
      (text) => notes.push(text),
    );
  open();
  t.same(JSON.parse(fs.readFileSync(file, 'utf8')), { banned_nets: [] });
  open();
  t.same(notes, ['Recreating the banlist database'], 'once');
  t.end();
});
