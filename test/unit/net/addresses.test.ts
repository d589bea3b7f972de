// Tests the address manager, maps of autonomous systems, and the choice of the inbound peer to evict.

import t from 'tap';
import type { AddrManager } from '../../../src/net/address/addr-manager.js';
import { AsMap, groupingBy } from '../../../src/net/address/asmap.js';
import { addressKey, groupOf, type NetAddress, parseHost } from '../../../src/net/wire/net-address.js';
import { addressBook } from '../../framework/address-book.js';
import { fc } from '../../framework/fast-check.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const NOW = 1_700_000_000;
let seed = 1;
const random = (): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return seed / 2 ** 32;
};
const at = (host: string, port = 8333): NetAddress => parseHost(host, port) as NetAddress;
const received = (host: string, age = 3_600, port = 8333) => ({ ...at(host, port), time: NOW - age, services: 9n });

t.test('stores each address once, and moves it to the tried table once a connection worked', async (t) => {
  const manager = addressBook(() => NOW, random);
  t.equal(manager.select(), undefined);
  t.equal(manager.add(received('8.8.8.8'), at('9.9.9.9')), true);
  t.equal(manager.add(received('8.8.8.8'), at('9.9.9.9')), false);
  t.equal(manager.add(received('10.0.0.1'), at('9.9.9.9')), false, 'the address is not routable');
  t.equal(manager.add(received('8.8.8.8', 3_600, 8334), at('9.9.9.9')), true, 'another port is another address');
  t.equal(manager.size, 2);
  manager.good(at('8.8.8.8'));
  const seen = new Set<string>();
  for (let i = 0; i < 200; i++) seen.add(addressKey(manager.select() as NetAddress));
  t.equal(seen.size, 2, 'both are chosen');
  for (let i = 0; i < 50; i++) t.equal(manager.select(true)?.port, 8334, 'for feelers only what never worked');
});

t.test('selects each of a few addresses about equally often', async (t) => {
  for (let run = 1; run <= 10; run++) {
    const manager = addressBook(() => NOW, pseudoRandom(run));
    const hosts = ['8.8.8.8', '9.9.9.9', '11.1.1.1', '12.1.1.1'];
    for (const host of hosts) t.equal(manager.add(received(host), at('66.1.2.3')), true);
    const counts = new Map(hosts.map((host) => [addressKey(at(host)), 0]));
    for (let i = 0; i < 200; i++) {
      const key = addressKey(manager.select() as NetAddress);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const least = Math.min(...counts.values());
    t.ok(least >= 20, `${least} of 200`);
  }
});

t.test('selects nearly all of many addresses sooner or later', async (t) => {
  const manager = addressBook(() => NOW, random);
  for (let i = 0; i < 600; i++) manager.add(received(`${11 + (i % 90)}.${i >> 3}.1.1`), at(`${20 + (i % 70)}.1.2.3`));
  t.ok(manager.size > 400);
  const seen = new Set<string>();
  for (let i = 0; i < 5_000; i++) seen.add(addressKey(manager.select() as NetAddress));
  t.ok(seen.size > manager.size * 0.9, `${seen.size} of ${manager.size}`);
});

t.test('limits how many entries one source group can fill', async (t) => {
  const manager = addressBook(() => NOW, random);
  for (let i = 0; i < 30_000; i++)
    manager.add(received(`${11 + (i % 90)}.${(i >> 3) % 256}.${(i >> 8) % 256}.${1 + (i % 200)}`), at('66.1.2.3'));
  t.ok(manager.size <= 64 * 64, `${manager.size} places for one group of sources`);
  const before = manager.size;
  let added = 0;
  for (let i = 0; i < 500; i++) if (manager.add(received(`200.${i % 250}.${i % 7}.9`), at(`${70 + (i % 50)}.${i % 200}.1.1`))) added++;
  t.ok(added > 400, 'other sources can still add addresses');
  t.ok(manager.size > before);
});

t.test('tests a tried address with a connection before another one evicts it', async (t) => {
  let now = NOW;
  const manager = addressBook(() => now, random);
  // In the table of tried addresses, one group of addresses can use 512 places.
  const all = Array.from({ length: 600 }, (_, i) => at(`8.8.${1 + (i >> 7)}.${1 + (i & 127)}`));
  for (const [i, address] of all.entries()) {
    manager.add({ ...address, time: now - 100, services: 9n }, at(`${9 + (i % 100)}.9.9.9`));
    manager.good(address);
  }
  const triedKeys = (): Set<string> =>
    new Set(
      manager
        .sample(0, 0)
        .filter((one) => one.tried)
        .map(addressKey),
    );
  const before = triedKeys();
  t.ok(before.size < manager.size, 'the slots of some addresses were occupied');
  t.not(manager.selectTriedCollision(), undefined);
  manager.resolveCollisions();
  t.equal(manager.selectTriedCollision(), undefined, 'those in place worked a moment ago');
  const gone = (): string[] => {
    const left = triedKeys();
    return [...before].filter((key) => !left.has(key));
  };
  /** Marks an unsuccessful address as good until it collides with a tried one. Returns both. */
  const collide = () => {
    const tried = triedKeys();
    for (const address of all) {
      if (tried.has(addressKey(address))) continue;
      manager.good(address);
      const old = manager.selectTriedCollision();
      if (old !== undefined) return { address, old };
    }
    throw new Error('no collision');
  };

  now += 5 * 60 * 60;
  const { address, old } = collide();
  manager.resolveCollisions();
  t.same(gone(), [], 'it is called first');
  manager.attempt(old, true);
  now += 30;
  manager.resolveCollisions();
  t.same(gone(), [], 'and has a minute to answer');
  manager.good(old);
  manager.resolveCollisions();
  t.same(gone(), [], 'it answered');
  t.equal(manager.selectTriedCollision(), undefined);

  now += 5 * 60 * 60;
  manager.good(address);
  manager.attempt(old, true);
  now += 61;
  manager.resolveCollisions();
  t.same(gone(), [addressKey(old)], 'it did not');
  t.ok(triedKeys().has(addressKey(address)));

  now += 5 * 60 * 60;
  const second = collide();
  now += 40 * 60;
  manager.resolveCollisions();
  t.equal(triedKeys().has(addressKey(second.old)), true);
  now++;
  manager.resolveCollisions();
  t.equal(triedKeys().has(addressKey(second.old)), false, 'it could not be called for 40 minutes');
});

t.test('keeps its tables consistent while addresses evict each other from full buckets', async (t) => {
  let now = NOW;
  const manager = addressBook(() => now, random);
  // All addresses belong to a few groups, so their places collide often.
  for (let i = 0; i < 40_000; i++) {
    const host = `8.8.${i % 3}.${1 + (Math.floor(random() * 200) % 250)}`;
    const port = 1 + Math.floor(random() * 40);
    manager.add({ ...at(host, port), time: now - 100, services: 9n }, at(`9.9.9.${i % 4}`));
    if (i % 3 === 0) {
      now += 5 * 60 * 60;
      const picked = manager.select(i % 2 === 0);
      if (picked !== undefined) manager.good(picked);
    }
  }
  const all = manager.sample(0, 0).length;
  t.ok(manager.tried > 20 && manager.size > manager.tried && all <= manager.size, `${manager.tried} tried of ${manager.size}`);
  for (let i = 0; i < 500; i++) if (manager.select() === undefined) t.fail('something is known');
});

t.test('omits addresses from samples after three failures or a month without news', async (t) => {
  let now = NOW;
  const manager = addressBook(() => now, random);
  for (let i = 1; i <= 100; i++) manager.add(received(`8.${i}.8.8`), at('9.9.9.9'));
  t.equal(manager.sample().length, Math.ceil(manager.size * 0.23));
  t.equal(manager.sample(0, 0).length, manager.size);
  for (let i = 0; i < 3; i++) {
    now += 700;
    manager.good(at('8.1.8.8'));
    now += 700;
    manager.attempt(at('8.2.8.8'), true);
  }
  now += 100;
  t.equal(
    manager.sample(0, 0).some((one) => addressKey(one) === addressKey(at('8.2.8.8'))),
    false,
    'three failures',
  );
  now += 31 * 24 * 60 * 60;
  t.equal(manager.sample(0, 0).length, 0, 'not seen for a month');
});

t.test('reads back what it wrote, and rejects damaged bytes by their checksum', async (t) => {
  const manager = addressBook(() => NOW, random);
  for (let i = 1; i <= 300; i++) manager.add(received(`8.${i % 256}.${i >> 8}.8`, i), at(`9.${i % 20}.9.9`));
  manager.good(at('8.5.0.8'));
  const bytes = manager.encode();
  const again = addressBook(() => NOW, random);
  again.load(bytes);
  t.equal(again.size, manager.size);
  const list = (one: AddrManager) =>
    one
      .sample(0, 0)
      .map((info) => `${addressKey(info)} ${info.time} ${info.tried}`)
      .sort();
  t.same(list(again), list(manager));
  t.throws(() => addressBook(() => NOW, random).load(bytes.subarray(1)), /checksum/);
  const flipped = Uint8Array.from(bytes);
  flipped[60] = (flipped[60] as number) ^ 1;
  t.throws(() => addressBook(() => NOW, random).load(flipped), /checksum/);
});

// The test encodes maps itself: numbers in classes of growing width, preceded by an instruction.
type Bits = number[];
const ofWidth = (value: number, width: number): Bits =>
  Array.from({ length: width }, (_, i) => Math.floor(value / 2 ** (width - 1 - i)) % 2);

function classed(value: number, least: number, widths: readonly number[]): Bits {
  let rest = value - least;
  const bits: Bits = [];
  for (const [i, width] of widths.entries()) {
    const last = i === widths.length - 1;
    if (rest < 2 ** width) return [...bits, ...(last ? [] : [0]), ...ofWidth(rest, width)];
    rest -= 2 ** width;
    bits.push(1);
  }
  throw new Error(`${value} is too large`);
}
const widths = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const returns = (system: number): Bits => [0, ...classed(system, 1, widths(15, 24))];
const jumps = (over: number): Bits => [1, 0, ...classed(over, 17, widths(5, 30))];
/** Instruction that compares the next bits. @param prefix up to eight bits */
const matches = (prefix: Bits): Bits => [
  1,
  1,
  0,
  ...classed(
    prefix.reduce((value, bit) => value * 2 + bit, 1),
    2,
    widths(1, 8),
  ),
];
const defaults = (system: number): Bits => [1, 1, 1, ...classed(system, 1, widths(15, 24))];

function packed(bits: Bits): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, i) => {
    bytes[i >> 3] = (bytes[i >> 3] as number) | (bit << (i & 7));
  });
  return bytes;
}

/** The prefix ::ffff:0:0/96, which stands before the bits of an IPv4 address. */
const toIpv4 = [...Array.from({ length: 10 }, () => 0), 255, 255].flatMap((byte) => matches(ofWidth(byte, 8)));

t.test('finds the autonomous system of every address that was written into a map', async (t) => {
  type Tree = number | readonly [Tree, Tree];
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof({ maxDepth: 9, withCrossShrink: true }, fc.integer({ min: 1, max: 4_000_000 }), fc.tuple(tie('tree'), tie('tree'))),
  }));
  const write = (node: Tree): Bits => {
    if (typeof node === 'number') return returns(node);
    const zero = write(node[0]);
    return [...jumps(zero.length), ...zero, ...write(node[1])];
  };
  const look = (node: Tree, bits: Bits): number => (typeof node === 'number' ? node : look(node[bits[0] as 0 | 1] as Tree, bits.slice(1)));
  fc.assert(
    fc.property(tree, fc.array(fc.uint8Array({ minLength: 4, maxLength: 4 }), { minLength: 5, maxLength: 5 }), (node, hosts) => {
      const map = AsMap.parse(packed([...toIpv4, ...write(node)]));
      return hosts.every((bytes) => {
        const wanted = look(
          node,
          [...bytes].flatMap((byte) => ofWidth(byte, 8)),
        );
        return map?.systemOf({ network: 'ipv4', bytes, port: 1 }) === wanted;
      });
    }),
    { numRuns: 100 },
  );
  const some = AsMap.parse(
    packed([...toIpv4, ...matches(ofWidth(8, 8)), ...defaults(77), ...matches(ofWidth(8, 8)), ...returns(12)]),
  ) as AsMap;
  t.equal(some.systemOf(at('8.8.1.1')), 12);
  t.equal(some.systemOf(at('8.9.1.1')), 77, 'the default');
  t.equal(some.systemOf(at('9.8.1.1')), 0, 'not in the map');
  t.equal(some.systemOf(at('2001:db8::1')), 0);
  t.equal(some.systemOf(at('2002:808:101::1')), 12, 'IPv4 inside IPv6');
  const group = groupingBy(some);
  t.equal(group(at('8.8.1.1')), group(at('8.8.200.1')));
  t.not(group(at('8.8.1.1')), group(at('8.9.1.1')));
  t.equal(group(at('9.8.1.1')), groupOf(at('9.8.1.1')), 'by prefix where the map is silent');
  t.equal(groupingBy(null)(at('8.8.1.1')), groupOf(at('8.8.1.1')));
});

t.test('rejects autonomous system maps with invalid jumps, padding or depth', async (t) => {
  const good = [...toIpv4, ...jumps(returns(5).length), ...returns(5), ...returns(6)];
  t.not(AsMap.parse(packed(good)), null);
  t.equal(AsMap.parse(new Uint8Array(0)), null);
  for (let length = 1; length < packed(good).length; length++)
    t.equal(AsMap.parse(packed(good).subarray(0, length)), null, `${length} bytes`);
  t.equal(AsMap.parse(Buffer.concat([packed(good), new Uint8Array(1)])), null, 'more than padding');
  t.equal(AsMap.parse(packed([...jumps(18), ...returns(5), ...returns(6)])), null, 'into the middle of an instruction');
  t.equal(AsMap.parse(packed([...jumps(100_000), ...returns(5), ...returns(6)])), null, 'beyond the end');
  t.equal(AsMap.parse(packed([...defaults(4), ...defaults(5), ...returns(6)])), null, 'superfluous');
  t.equal(AsMap.parse(packed([...defaults(4), ...returns(6)])), null);
  const tooDeep = Array.from({ length: 17 }, () => matches(ofWidth(1, 8))).flat();
  t.equal(AsMap.parse(packed([...tooDeep, ...returns(6)])), null, 'more bits than an address has');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const system = AsMap.parse(bytes)?.systemOf(at('8.8.1.1')) ?? 0;
      return system >= 0;
    }),
    { numRuns: 1_000 },
  );
});
