// Compares the small structures of relay with naive models or known values: the rolling filter, the filters of light
// clients, the request tracker, the orphan pool.

import { EventEmitter } from 'node:events';
import v8 from 'node:v8';
import vm from 'node:vm';
import t from 'tap';
import type { BlockView } from '../../../src/consensus/block/block-view.js';
import { outpointOf } from '../../../src/consensus/connect.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { workClock } from '../../../src/lib/work-clock.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { NetContext } from '../../../src/net/context.js';
import { Inventory } from '../../../src/net/inventory.js';
import { NO_PERMISSIONS } from '../../../src/net/options.js';
import { Peer } from '../../../src/net/peer/peer.js';
import type { SocketConnection } from '../../../src/net/peer/socket-connection.js';
import { BloomFilter, MAX_BLOOM_FILTER_BYTES, MAX_HASH_FUNCTIONS, murmurHash3 } from '../../../src/net/relay/bloom-filter.js';
import { CompactReceiver } from '../../../src/net/relay/compact-receiver.js';
import { CompactSender } from '../../../src/net/relay/compact-sender.js';
import { createCompactStats } from '../../../src/net/relay/compact-stats.js';
import { ExtraTxs } from '../../../src/net/relay/extra-txs.js';
import { RelayLog } from '../../../src/net/relay/relay-log.js';
import { RollingBloom } from '../../../src/net/relay/rolling-bloom.js';
import { TxAnnouncer } from '../../../src/net/relay/tx-announcer.js';
import { TxDownload } from '../../../src/net/relay/tx-download.js';
import { TxReceiver } from '../../../src/net/relay/tx-receiver.js';
import { TxRequests } from '../../../src/net/relay/tx-requests.js';
import { WtxidIndex } from '../../../src/net/relay/wtxid-index.js';
import {
  decodeBlockTxRequest,
  decodeCompactBlock,
  encodeBlockTxs,
  encodeCompactBlock,
  ShortIds,
} from '../../../src/net/wire/compact-block.js';
import { decodeInv, encodeInv } from '../../../src/net/wire/messages.js';
import { INV } from '../../../src/net/wire/protocol.js';
import { fc } from '../../framework/fast-check.js';
import { merkleRoot } from '../../framework/messages.js';
import { spend } from '../../framework/model-chain.js';
import { filterPayload } from '../../framework/p2p-client.js';
import { createPool, NO_POLICY } from '../../framework/pool-under-test.js';
import { until } from '../../framework/until.js';

const hashes = createPureHashes();
const numbered = (n: number): Uint8Array => hashes.sha256(Uint8Array.of(n, n >> 8, n >> 16, 7));

t.test('remembers the last n entries of a rolling filter, with few false positives', async (t) => {
  const filter = new RollingBloom(1_000, 0.001);
  let forgotten = 0;
  for (let n = 0; n < 5_000; n++) {
    filter.add(numbered(n));
    if (n >= 999 && n % 97 === 0) for (let back = 0; back < 1_000; back += 13) if (!filter.has(numbered(n - back))) forgotten++;
  }
  t.equal(forgotten, 0);
  let hits = 0;
  for (let n = 0; n < 20_000; n++) if (filter.has(numbered(1_000_000 + n))) hits++;
  t.ok(hits < 100, `${hits} false hits in 20,000`);
  let old = 0;
  for (let n = 0; n < 2_000; n++) if (filter.has(numbered(n))) old++;
  t.ok(old < 100, 'what is long ago is forgotten');
  filter.reset();
  t.equal(filter.has(numbered(4_999)), false);
});

function filterOf(...fields: Parameters<typeof filterPayload>): BloomFilter | null {
  return BloomFilter.decode(filterPayload(...fields));
}

const hexBytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

t.test('computes the published values of MurmurHash3', async (t) => {
  for (const [hash, seed, data] of [
    [0, 0, ''],
    [0x514e28b7, 1, ''],
    [0x81f16f39, 0xffffffff, ''],
    [0x76293b50, 0, 'ffffffff'],
    [0xf55b516b, 0, '21436587'],
    [0x2362f9de, 0x5082edee, '21436587'],
    [0x7e4a8634, 0, '214365'],
    [0xa0f7b07a, 0, '2143'],
    [0x72661cf4, 0, '21'],
  ] as const) {
    t.equal(murmurHash3(seed, hexBytes(data)), hash, `${data} with seed ${seed}`);
  }
});

t.test('decodes and matches BIP-0037 filters, and rejects those above the size limits', async (t) => {
  const names = [
    '99108ad8ed9bb6274d3980bab5a85c048f0950c8',
    'b5a2c786d9ef4658287ced5914b37a1b4aa32eee',
    'b9300670b4c5366e95b2699e8b18bc75e5f729c5',
  ];
  const filter = filterOf(hexBytes('614e9b'), 5, 0, 1);
  t.same(
    names.map((name) => filter?.contains(hexBytes(name))),
    [true, true, true],
    'as BIP-0037 clients set the bits',
  );
  t.equal(filter?.contains(hexBytes('19108ad8ed9bb6274d3980bab5a85c048f0950c8')), false);
  const filled = filterOf(new Uint8Array(3), 5);
  for (const name of names) filled?.insert(hexBytes(name));
  t.same(
    names.map((name) => filled?.contains(hexBytes(name))),
    [true, true, true],
  );
  t.equal(filled?.contains(hexBytes('19108ad8ed9bb6274d3980bab5a85c048f0950c8')), false);
  t.not(filterOf(new Uint8Array(MAX_BLOOM_FILTER_BYTES), MAX_HASH_FUNCTIONS), null);
  t.equal(filterOf(new Uint8Array(MAX_BLOOM_FILTER_BYTES + 1), 1), null);
  t.equal(filterOf(new Uint8Array(1), MAX_HASH_FUNCTIONS + 1), null);
  const none = filterOf(new Uint8Array(0), 1);
  none?.insert(hexBytes('00'));
  t.equal(none?.contains(hexBytes('01')), true, 'without bits everything is wanted, and nothing is divided by zero');
});

/** Makes a transaction of one input with outputs of these scripts. */
function paying(scripts: readonly Uint8Array[], prevHash = numbered(1), prevIndex = 0, scriptSig: Uint8Array = new Uint8Array(0)) {
  return parseTx(
    buildTx({
      version: 2,
      inputs: [{ prevHash, prevIndex, scriptSig, sequence: 0, witness: [] }],
      outputs: scripts.map((script) => ({ value: 1, script })),
      locktime: 0,
    }),
    hashes,
  );
}

t.test('matches transactions by id, output, input and coin, and updates the filter by its flags', async (t) => {
  const hash = numbered(5).subarray(0, 20);
  const keyHash = Buffer.concat([hexBytes('76a914'), hash, hexBytes('88ac')]);
  const key = Buffer.concat([hexBytes('02'), numbered(6)]);
  const toKey = Buffer.concat([hexBytes('21'), key, hexBytes('ac')]);
  const of = (flags: number, ...data: Uint8Array[]): BloomFilter => {
    const filter = filterOf(new Uint8Array(2_000), 10, 77, flags) as BloomFilter;
    for (const one of data) filter.insert(one);
    return filter;
  };
  const tx = paying([hexBytes('51'), keyHash]);
  t.equal(of(0, numbered(9)).matches(tx), false);
  t.equal(of(0, tx.txid).matches(tx), true, 'by its id');
  t.equal(of(0, hash).matches(tx), true, 'by data of an output');
  t.equal(of(0, tx.outpoint(0)).matches(tx), true, 'by the coin it spends');
  const spend = paying([], tx.txid, 1, Buffer.concat([hexBytes('21'), key]));
  t.equal(of(0, key).matches(spend), true, 'by data of an input');
  for (const [flags, script, data, learns] of [
    [0, keyHash, hash, false],
    [1, keyHash, hash, true],
    [2, keyHash, hash, false],
    [2, toKey, key, true],
  ] as const) {
    const filter = of(flags, data);
    const parent = paying([script]);
    t.equal(filter.matches(parent), true);
    t.equal(filter.matches(paying([], parent.txid, 0)), learns, `flags ${flags}, a script of ${script.length} bytes`);
  }
});

t.test('matches a transaction without further checks once a costly filter exhausts its budget', async (t) => {
  const data = new Uint8Array(250).fill(3);
  const script = Buffer.concat([hexBytes('4cfa'), data]);
  const [short, long] = [10, 900].map((count) => paying([Buffer.concat(Array.from({ length: count }, () => script))])) as [
    ReturnType<typeof paying>,
    ReturnType<typeof paying>,
  ];
  // Set all bits of the filter, except those of the last hash of the data, and of the first hash of the ids and the
  // coins.
  const size = MAX_BLOOM_FILTER_BYTES;
  const bitOf = (index: number, bytes: Uint8Array): number => murmurHash3(Math.imul(index, 0xfba4c795) >>> 0, bytes) % (size * 8);
  const bits = new Uint8Array(size).fill(0xff);
  const cleared = [bitOf(MAX_HASH_FUNCTIONS - 1, data), ...[short, long].flatMap((tx) => [bitOf(0, tx.txid), bitOf(0, tx.outpoint(0))])];
  for (const bit of cleared) bits[bit >> 3] = (bits[bit >> 3] as number) & ~(1 << (bit & 7));
  const filter = filterOf(bits, MAX_HASH_FUNCTIONS) as BloomFilter;
  t.equal(filter.matches(short), false, 'no data of it is in');
  t.equal(filter.matches(long), true, 'too much to look at');
});

const peerOf = (id: number): Peer => ({ id }) as Peer;

t.test('requests each transaction from one peer at a time, and in the end from each that has it', async (t) => {
  const runs = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('announce'), peer: fc.nat(3), tx: fc.nat(5), delay: fc.nat(3) }),
      fc.record({ kind: fc.constant('answer'), peer: fc.nat(3), tx: fc.nat(5), delay: fc.constant(0) }),
      fc.record({ kind: fc.constant('arrived'), peer: fc.constant(0), tx: fc.nat(5), delay: fc.constant(0) }),
      fc.record({ kind: fc.constant('leave'), peer: fc.nat(3), tx: fc.constant(0), delay: fc.constant(0) }),
      fc.record({ kind: fc.constant('wait'), peer: fc.constant(0), tx: fc.constant(0), delay: fc.nat(80) }),
    ),
    { maxLength: 60 },
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(runs, (steps) => {
        const tracker = new TxRequests();
        const peers = [0, 1, 2, 3].map(peerOf);
        let now = 0;
        // The model: which peers announced each transaction and may still be asked, and the open requests with their end.
        const open = new Map<string, { due: number; state: 'open' | 'asked' | 'done'; until: number }>();
        const ofTx = (tx: number) =>
          [0, 1, 2, 3].map((peer) => [peer, open.get(`${peer}/${tx}`)] as const).filter(([, row]) => row !== undefined);
        const tidy = (): void => {
          for (const row of open.values()) if (row.state === 'asked' && row.until <= now) row.state = 'done';
          for (let tx = 0; tx < 6; tx++) {
            const rows = ofTx(tx);
            if (rows.length > 0 && rows.every(([, row]) => row?.state === 'done')) for (const [peer] of rows) open.delete(`${peer}/${tx}`);
          }
        };
        for (const { kind, peer, tx, delay } of steps) {
          const key = `${peer}/${tx}`;
          if (kind === 'announce') {
            tracker.noteAnnounced(peers[peer] as Peer, numbered(tx), true, peer < 2, now + delay);
            if (!open.has(key)) open.set(key, { due: now + delay, state: 'open', until: 0 });
          } else if (kind === 'answer') {
            tracker.noteAnswered(peers[peer] as Peer, numbered(tx));
            const row = open.get(key);
            if (row !== undefined) row.state = 'done';
          } else if (kind === 'arrived') {
            tracker.forgetTx(numbered(tx));
            for (const [other] of ofTx(tx)) open.delete(`${other}/${tx}`);
          } else if (kind === 'leave') {
            tracker.forgetPeer(peers[peer] as Peer);
            for (let n = 0; n < 6; n++) open.delete(`${peer}/${n}`);
          } else now += delay;
          tidy();
          for (const [id, one] of peers.entries()) {
            for (const { hash } of tracker.takeDue(one, now)) {
              const which = [0, 1, 2, 3, 4, 5].find((n) => Buffer.compare(numbered(n), hash) === 0) as number;
              const row = open.get(`${id}/${which}`);
              if (row === undefined || row.state !== 'open' || row.due > now) throw new Error('asked out of turn');
              if (ofTx(which).some(([, other]) => other?.state === 'asked')) throw new Error('asked twice at a time');
              if (id >= 2 && ofTx(which).some(([other, r]) => other < 2 && r?.state === 'open' && r.due < now))
                throw new Error('a preferred peer was passed over');
              row.state = 'asked';
              row.until = now + 60;
              tracker.noteRequested(one, hash, now + 60);
            }
            const flying = [...open].filter(([k, row]) => k.startsWith(`${id}/`) && row.state === 'asked').length;
            if (tracker.countInFlight(one) !== flying) throw new Error('requests are miscounted');
          }
          // No transaction may be forgotten: if it is due and not requested from any peer, it must have been requested
          // by now.
          for (let n = 0; n < 6; n++) {
            const rows = ofTx(n);
            if (!rows.some(([, row]) => row?.state === 'asked') && rows.some(([, row]) => row?.state === 'open' && row.due <= now))
              throw new Error('forgotten');
          }
        }
        return true;
      }),
      { numRuns: 400 },
    ),
  );
});

t.test('filters the mempool and pending announcements for a bloom filter peer in slices', async (t) => {
  const { chain, clock, pool } = createPool({ policy: NO_POLICY });
  const txs = Array.from({ length: 20 }, (_, i) =>
    spend(hashes, [chain.fund(9_000)], [{ value: 8_000 - i, script: new Uint8Array(40).fill(0x51) }]),
  );
  for (const tx of txs) t.equal((await pool.accept(tx)).reject, null);
  // Each reading of the clock costs a millisecond.
  let ms = 0;
  const context = { mempool: pool, wtxids: new WtxidIndex(pool), clock, random: () => 0.5, options: { feeFilter: false } };
  const announcer = new TxAnnouncer(context as unknown as NetContext, () => ms++);
  const invs: string[][] = [];
  const peer = new Peer(1, 'inbound', { network: 'ipv4', bytes: new Uint8Array(4), port: 1 }, '', '', NO_PERMISSIONS, 0);
  peer.connection = {
    send: (_: string, payload: Uint8Array) => invs.push(decodeInv(payload).map(({ hash }) => Buffer.from(hash).toString('hex'))),
  } as unknown as SocketConnection;
  peer.relaysTxs = true;
  peer.filter = filterOf(new Uint8Array(10).fill(0xff), 1);
  const idOf = ({ txid }: { txid: Uint8Array }) => Buffer.from(txid).toString('hex');
  const received = () => invs.flat().sort();
  announcer.addPeer(peer);
  announcer.wholeMempool(peer);
  announcer.send(peer);
  t.ok(received().length > 0 && received().length <= 2, `${received().length} in the first slice`);
  // The clock does not advance, but the walk over the mempool continues.
  for (let i = 0; i < 20; i++) announcer.send(peer);
  t.same(received(), txs.map(idOf).sort(), 'each once');
  const before = invs.length;
  for (let i = 0; i < 5; i++) announcer.send(peer);
  t.equal(invs.length, before, 'and that was all');

  invs.length = 0;
  announcer.wholeMempool(peer);
  clock.seconds += 60;
  announcer.send(peer);
  const first = received();
  peer.filter = filterOf(new Uint8Array(10), 1);
  for (let i = 0; i < 20; i++) announcer.send(peer);
  t.same(received(), first, 'the filter of now counts');

  invs.length = 0;
  announcer.forgetPeer(peer);
  announcer.addPeer(peer);
  peer.filter = filterOf(new Uint8Array(10).fill(0xff), 1);
  for (const tx of txs) announcer.relayTx(tx);
  clock.seconds += 60;
  announcer.send(peer);
  t.ok(received().length > 0 && received().length <= 2, `${received().length} of those that wait`);
  for (let i = 0; i < 20; i++) {
    clock.seconds += 60;
    announcer.send(peer);
  }
  t.same(received(), txs.map(idOf).sort(), 'the others later');
});

/**
 * Makes an announcer over a mempool that is a table of ids, without fees and ancestors, and records the messages to its
 * peers.
 */
function announcerOver(pool: ReadonlyMap<string, Uint8Array>) {
  const clock = { seconds: 1_600_000_000, nowSeconds: () => clock.seconds, nowMs: () => clock.seconds * 1_000 };
  const txOf = (txid: Uint8Array) => ({ txid, wtxid: txid, bytes: txid });
  const names: Uint8Array[] = [];
  const rowOf = new Map<string, number>();
  const rows = { ancestorCount: [] as number[], fee: [] as number[], size: [] as number[] };
  const find = (txid: Uint8Array): number => {
    const key = Buffer.from(txid).toString('hex');
    if (!pool.has(key)) return -1;
    const row = rowOf.get(key) ?? names.push(Uint8Array.from(txid)) - 1;
    rowOf.set(key, row);
    [rows.ancestorCount[row], rows.fee[row], rows.size[row]] = [1, 1_000, 100];
    return row;
  };
  let lookUps = 0;
  const mempool = {
    get: () => {
      lookUps++;
    },
    records: { rows, find, entry: (row: number) => ({ tx: txOf(names[row]!) }) },
    *entries() {
      for (const txid of pool.values()) yield { txid, wtxid: txid, unbroadcast: (txid[0]! & 1) === 0 };
    },
  };
  const context = { mempool, wtxids: {}, clock, random: () => 0.5, options: { feeFilter: false } };
  const announcer = new TxAnnouncer(context as unknown as NetContext);
  const join = (told: string[] = []): Peer => {
    const peer = new Peer(1, 'inbound', { network: 'ipv4', bytes: new Uint8Array(4), port: 1 }, '', '', NO_PERMISSIONS, 0);
    const send = (_: string, payload: Uint8Array) => {
      for (const { hash } of decodeInv(payload)) told.push(Buffer.from(hash).toString('hex'));
    };
    peer.connection = { send } as unknown as SocketConnection;
    peer.relaysTxs = true;
    announcer.addPeer(peer);
    return peer;
  };
  return { announcer, clock, join, relay: (txid: Uint8Array) => announcer.relayTx(txOf(txid)), lookUps: () => lookUps };
}

t.test('checks each parent of a served transaction once, however many inputs name it', async (t) => {
  const { announcer, join, lookUps } = announcerOver(new Map());
  const parent = new Uint8Array(32).fill(7);
  const inputs = Array.from({ length: 1_000 }, (_, i) => ({
    prevHash: i % 100 === 0 ? new Uint8Array(32).fill(8) : parent,
    prevIndex: i,
    scriptSig: new Uint8Array(0),
    sequence: 0,
    witness: [],
  }));
  const tx = parseTx(
    buildTx({ version: 2, inputs, outputs: [{ value: 1, script: Uint8Array.of(0x51) }], locktime: 0 }),
    createPureHashes(),
  );
  announcer.allowParents(join(), tx);
  t.same(lookUps(), 2);
});

v8.setFlagsFromString('--expose-gc');
const collectGarbage: () => void = vm.runInNewContext('gc');

function memoryInUse(): NodeJS.MemoryUsage {
  collectGarbage();
  return process.memoryUsage();
}

t.test('stores an announcement once when many peers wait for it', async (t) => {
  const { announcer, join, relay } = announcerOver(new Map());
  const peers = Array.from({ length: 100 }, () => join());
  const held = (): number => {
    const { heapUsed, arrayBuffers } = memoryInUse();
    return heapUsed + arrayBuffers;
  };
  const before = held();
  for (let n = 0; n < 10_000; n++) relay(numbered(n));
  const megabytes = (held() - before) / 1e6;
  t.equal(announcer.waitingFor(peers[0]!), 10_000);
  // A separate entry for each peer would take 286 bytes, 286 MB in all.
  t.ok(megabytes < 60, `${megabytes.toFixed(0)} MB for 10,000 transactions and 100 peers`);
});

t.test('shares the ids of selected announcements among all peers', async (t) => {
  const ids = Array.from({ length: 3_000 }, (_, n) => numbered(n));
  const { announcer, clock, join, relay } = announcerOver(new Map(ids.map((id) => [Buffer.from(id).toString('hex'), id])));
  const peers = Array.from({ length: 100 }, () => join());
  for (const id of ids) relay(id);
  const before = memoryInUse().heapUsed;
  clock.seconds += 60;
  for (const peer of peers) announcer.send(peer);
  const megabytes = (memoryInUse().heapUsed - before) / 1e6;
  t.ok(announcer.waitingFor(peers[0]!) > 2_000);
  // With a text and a copy of the hash for each of 2,000 transactions, it would be more than 50 MB.
  t.ok(megabytes < 20, `${megabytes.toFixed(0)} MB for 2,000 transactions and 100 peers`);
});

t.test('announces many transactions gradually, each once, without those known or removed', async (t) => {
  const ids = Array.from({ length: 5_000 }, (_, n) => numbered(n));
  const pool = new Map(ids.map((id) => [Buffer.from(id).toString('hex'), id]));
  const { announcer, clock, join, relay } = announcerOver(pool);
  const received: string[] = [];
  const peer = join(received);
  for (const [n, id] of ids.entries()) {
    if (n % 10 === 3) announcer.noteKnownHash(peer, id);
    relay(id);
    // Announce some again, as unbroadcast transactions are announced. Only one entry must wait.
    if (n % 1_000 === 0) relay(id);
  }
  const late: string[] = [];
  const newcomer = join(late);
  relay(numbered(50_000));
  pool.set(Buffer.from(numbered(50_000)).toString('hex'), numbered(50_000));
  for (let n = 1; n < ids.length; n += 2) pool.delete(Buffer.from(ids[n]!).toString('hex'));
  for (let round = 0; round < 200; round++) {
    clock.seconds += 60;
    for (const one of [peer, newcomer]) announcer.send(one);
    t.ok(received.length <= 200 * (round + 1), 'not all at once');
  }
  const left = [...pool.keys()].filter((key) => !ids.some((id, n) => n % 10 === 3 && Buffer.from(id).toString('hex') === key));
  t.same([...received].sort(), left.sort());
  t.same(late, [Buffer.from(numbered(50_000)).toString('hex')], 'a new peer receives only later transactions');
  t.equal(announcer.waitingFor(peer), 0);
});

t.test('does not serve an announced transaction that has left the mempool', async (t) => {
  const id = numbered(1);
  const pool = new Map([[Buffer.from(id).toString('hex'), id]]);
  const { announcer, clock, join, relay } = announcerOver(pool);
  const received: string[] = [];
  const peer = join(received);
  relay(id);
  clock.seconds += 60;
  announcer.send(peer);
  t.same(received, [...pool.keys()]);
  pool.clear();
  t.equal(announcer.findTx(peer, id, false), undefined);
});

t.test('announces unbroadcast transactions again in slices', async (t) => {
  const pool = new Map(Array.from({ length: 300 }, (_, n) => [Buffer.from(numbered(n)).toString('hex'), numbered(n)]));
  const wanted = [...pool.values()].filter((txid) => (txid[0]! & 1) === 0).length;
  const { announcer, join } = announcerOver(pool);
  const peer = join();
  const { now } = workClock;
  let ms = 0;
  t.teardown(() => {
    workClock.now = now;
  });
  // Each reading of the clock costs a tenth of a millisecond, so that a slice has twenty entries.
  workClock.now = () => (ms += 0.1);
  const done = announcer.relayUnbroadcast();
  t.ok(announcer.waitingFor(peer) <= 20, `${announcer.waitingFor(peer)} in the first slice`);
  await done;
  t.equal(announcer.waitingFor(peer), wanted);
});

t.test('drops announcements that every peer has received or that are too old', async (t) => {
  const log = new RelayLog(4_000);
  let needed = 0;
  for (let n = 0; n < 10_000; n++) log.append(numbered(n), numbered(n + 100_000), () => needed);
  t.equal(log.end, 10_000);
  t.ok(log.begin >= 10_000 - 4_000 - 1_024 && log.begin <= 6_000, `from ${log.begin}`);
  for (let at = log.begin; at < log.end; at += 331) {
    t.same(log.read(at, false), numbered(at));
    t.same(log.read(at, true), numbered(at + 100_000));
  }
  needed = 9_500;
  for (let n = 10_000; n < 11_100; n++) log.append(numbered(n), numbered(n), () => needed);
  t.ok(log.begin > 8_000 && log.begin <= 9_500, `from ${log.begin}`);
  t.same(log.read(9_500, false), numbered(9_500));
});

/** The shortest length of script that is accepted. */
const SCRIPT = new Uint8Array(40).fill(0x51);
const COINBASE = spend(hashes, [], [{ value: 1, script: SCRIPT }]);
const headerOf = (n: number, txs: readonly TxView[] = []): Uint8Array => {
  const header = new Uint8Array(80).fill(0x20);
  header[0] = n;
  if (txs.length > 0) header.set(merkleRoot(txs.map(({ txid }) => Buffer.from(txid))), 36);
  return header;
};

interface CompactOptions {
  readonly requestOf?: (hash: Uint8Array) => object | undefined;
  readonly startRequest?: (peer: Peer, hash: Uint8Array) => unknown;
  readonly endRequest?: (hash: Uint8Array) => unknown;
  readonly identify?: () => Promise<void>;
  readonly processBlock?: (peer: Peer, block: BlockView) => Promise<unknown>;
  readonly extraTxs?: number;
}

/** Makes compact block relay over a mempool and a chain that has only the headers which the test adds. */
function compactWorld({ clock, pool }: Pick<ReturnType<typeof createPool>, 'clock' | 'pool'>, options: CompactOptions = {}) {
  const prev = { hash: numbered(1), height: 1, chainWork: 1n, prev: null };
  const nodes = new Map<string, object>();
  const keyOf = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');
  const nodeOf = (hash: Uint8Array): object => nodes.get(keyOf(hash)) ?? prev;
  const chain = {
    tip: { ...prev, bits: 0x207fffff },
    minimumChainWork: 0n,
    node: nodeOf,
    isInitialBlockDownload: () => false,
    submitHeader: async () => null,
    identify: options.identify ?? (async () => undefined),
  };
  const context = {
    options: {},
    params: chainParams('regtest'),
    mempool: pool,
    wtxids: new WtxidIndex(pool),
    crypto: hashes,
    chain,
    blocks: chain,
    commands: chain,
    clock,
    peers: new Set(),
    random: () => 0.5,
    log: { debug: () => {} },
    times: { nowMs: () => 0, noteAnnounced: () => {} },
  };
  const downloads = {
    canFetchDirectly: true,
    requestOf: options.requestOf ?? (() => undefined),
    expects: () => false,
    startRequest: options.startRequest ?? (() => true),
    endRequest: options.endRequest ?? (() => true),
    freeSlots: () => 16,
    passesOver: () => false,
    askedAgain: () => {},
  };
  const stats = createCompactStats();
  const extra = new ExtraTxs(options.extraTxs ?? 0);
  const sender = new CompactSender(context as unknown as NetContext, downloads as never, {} as never, stats);
  const parts = { downloads, headers: {}, blocks: { processBlock: options.processBlock }, sender, extra, stats };
  const receiver = new CompactReceiver(context as unknown as NetContext, parts as never);
  pool.listen({ added() {}, removed: (entry, reason) => extra.onLeft(entry, reason), changed() {} });
  /** Adds a header on top of the tip. @returns its hash */
  const addHeader = (header: Uint8Array, chainWork = 2n, has = (): boolean => false): Uint8Array => {
    const hash = hashes.sha256d(header);
    nodes.set(keyOf(hash), { hash, height: Number(chainWork), chainWork, prev, txCount: 0, hashHex: '', has });
    return hash;
  };
  return { receiver, sender, stats, chain, addHeader, nodeOf, keyOf };
}

/** Makes a peer that provides compact blocks at high bandwidth. @param send takes the messages to it */
function compactPeer(id: number, send: (command: string, payload: Uint8Array) => void): Peer {
  const peer = new Peer(id, 'inbound', { network: 'ipv4', bytes: new Uint8Array(4), port: id }, '', '', NO_PERMISSIONS, 0);
  peer.compact.provides = peer.compact.highBandwidth = true;
  peer.connection = { send } as unknown as SocketConnection;
  return peer;
}

const compactMessage = (header: Uint8Array, shortIds: readonly number[], prefilled = [{ index: 0, tx: COINBASE }]): Uint8Array =>
  encodeCompactBlock({ header, nonce: 5n, shortIds, prefilled });

t.test('fills a compact block with replaced transactions, and requests the missing ones', async (t) => {
  const world = createPool({ policy: { ...NO_POLICY, incrementalFeeRate: 1_000 } });
  const { chain: model, pool } = world;
  const header = headerOf(0x20);
  const relays = [100, 0].map((extraTxs) => compactWorld(world, { extraTxs }));
  const coin = model.fund(90_000);
  const pay = (from: Uint8Array, value: number): TxView => spend(hashes, [from], [{ value, script: SCRIPT }]);
  const first = pay(coin, 80_000);
  const child = pay(first.outpoint(0), 79_000);
  const better = pay(coin, 50_000);
  const mined = pay(model.fund(9_000), 8_000);
  const foreign = pay(model.fund(9_000), 7_000);
  for (const tx of [first, child, mined, better]) t.equal((await pool.accept(tx)).reject, null);
  model.connect([mined]);
  t.equal(pool.size, 1, 'both were replaced, and one was mined');

  const ids = new ShortIds(header, 5n, hashes);
  const message = compactMessage(
    header,
    [foreign, first, child, better, mined].map((tx) => ids.of(tx.wtxid)),
  );
  const asked: (readonly number[])[] = [];
  for (const relay of relays) {
    relay.addHeader(header);
    const peer = compactPeer(1, (command, payload) => {
      t.equal(command, 'getblocktxn');
      asked.push(decodeBlockTxRequest(payload).indexes);
    });
    await relay.receiver.receiveCompactBlock(peer, message);
  }
  t.same(asked, [
    [1, 5],
    [1, 2, 3, 5],
  ]);
});

t.test('releases the slot of a compact block once another peer has completed the block', async (t) => {
  const stored = new Set<string>();
  const first = new Map<string, Peer>();
  const { receiver, addHeader, keyOf } = compactWorld(createPool(), {
    requestOf: (hash) => (first.has(keyOf(hash)) ? { peer: first.get(keyOf(hash)) } : undefined),
    startRequest: (peer, hash) => first.set(keyOf(hash), peer),
    endRequest: (hash) => first.delete(keyOf(hash)),
    // The block is stored on a side branch: peers get no announcement.
    processBlock: async (_, { hash }) => stored.add(keyOf(hash)),
  });
  const commands: string[] = [];
  const [slow, fast] = [1, 2].map((id) => compactPeer(id, (command) => commands.push(`${id} ${command}`))) as [Peer, Peer];
  const missing = paying([SCRIPT]);
  // One block more than the node completes at the same time.
  for (let n = 0; n < 25; n++) {
    const header = headerOf(n, [COINBASE, missing]);
    const hash = addHeader(header, 2n, () => stored.has(keyOf(hash)));
    const message = compactMessage(header, [new ShortIds(header, 5n, hashes).of(missing.wtxid)]);
    for (const peer of [slow, fast]) await receiver.receiveCompactBlock(peer, message);
    t.same(commands.splice(0), ['1 getblocktxn', '2 getblocktxn']);
    await receiver.receiveTxs(fast, encodeBlockTxs(hash, [missing]));
    t.ok(stored.has(keyOf(hash)));
  }
});

t.test('releases slots of unfinished compact blocks once the chain has moved on', async (t) => {
  const { receiver, chain, addHeader } = compactWorld(createPool());
  const commands: string[] = [];
  const peer = compactPeer(1, (command) => commands.push(command));
  const announce = async (n: number, chainWork: bigint): Promise<void> => {
    addHeader(headerOf(n), chainWork);
    await receiver.receiveCompactBlock(peer, compactMessage(headerOf(n), [1]));
  };
  for (let n = 0; n < 24; n++) await announce(n, 2n);
  t.same(commands.splice(0), new Array(24).fill('getblocktxn'));
  await announce(24, 2n);
  t.same(commands.splice(0), ['getdata'], 'as many as are put together at a time');
  chain.tip = { ...chain.tip, height: 2, chainWork: 2n };
  receiver.onTip();
  await announce(25, 3n);
  t.same(commands, ['getblocktxn']);
});

t.test('does not request a whole block that became unwanted while its merkle root was computed', async (t) => {
  const header = headerOf(0x20);
  const run = async (meanwhile: (peer: Peer, stored: () => void) => void): Promise<string[]> => {
    let stored = false;
    const commands: string[] = [];
    const peer = compactPeer(1, (command) => commands.push(command));
    const { receiver, addHeader } = compactWorld(createPool(), {
      identify: async () =>
        meanwhile(peer, () => {
          stored = true;
        }),
    });
    addHeader(header, 2n, () => stored);
    await receiver.receiveCompactBlock(peer, compactMessage(header, []));
    return commands;
  };
  t.same(await run(() => {}), ['getdata'], 'its root is another, so the whole block is');
  t.same(await run((_, stored) => stored()), [], 'another peer sent the block');
  t.same(
    await run((peer) => {
      peer.leaving = true;
    }),
    [],
    'its sender has disconnected',
  );
});

t.test('prefills transactions that were missing or outside the mempool, and counts them', async (t) => {
  const world = createPool({ policy: NO_POLICY, maxUsageBytes: 5_000 });
  const { chain: model, pool } = world;
  const pay = (fee: number) => spend(hashes, [model.fund(90_000)], [{ value: 90_000 - fee, script: SCRIPT }]);
  const relay: ReturnType<typeof compactWorld> = compactWorld(world, {
    processBlock: async (_, block) => relay.sender.onStored(relay.nodeOf(block.hash) as never, block),
    extraTxs: 100,
  });
  const sender = compactPeer(1, () => {});
  let passedOn: number[] = [];
  const receiver = compactPeer(2, (_, payload) => {
    passedOn = decodeCompactBlock(payload, hashes).prefilled.map(({ index }) => index);
  });
  /**
   * Sends a compact block that contains the transactions at the positions `whole`, and sends the others on request.
   * Returns the positions of the transactions in the compact block that the node sends on.
   */
  const through = async (n: number, txs: readonly TxView[], whole: readonly number[]): Promise<number[]> => {
    const all = [COINBASE, ...txs];
    const header = headerOf(n, all);
    const hash = relay.addHeader(header);
    const ids = new ShortIds(header, 5n, hashes);
    const shortIds = all.flatMap((tx, at) => (whole.includes(at) ? [] : [ids.of(tx.wtxid)]));
    const prefilled = whole.map((index) => ({ index, tx: all[index] as TxView }));
    const foreign = all.filter((tx, at) => !whole.includes(at) && unknown.includes(tx));
    await relay.receiver.receiveCompactBlock(sender, compactMessage(header, shortIds, prefilled));
    if (foreign.length > 0) await relay.receiver.receiveTxs(sender, encodeBlockTxs(hash, foreign));
    passedOn = [];
    t.equal(relay.sender.announceTip(receiver, relay.nodeOf(hash) as never), true);
    return passedOn;
  };
  const evicted = pay(1_000);
  const known = [pay(5_000), pay(6_000)] as [TxView, TxView];
  const unknown = [pay(1), pay(2)] as [TxView, TxView];
  for (const tx of [evicted, ...known]) t.equal((await pool.accept(tx)).reject, null);
  for (let fee = 2_000; pool.has(evicted.txid); fee++) await pool.accept(pay(fee));
  t.ok(pool.has(known[0].txid) && pool.has(known[1].txid));

  t.same(await through(1, known, [0]), [0]);
  t.same(await through(2, [known[0], evicted, known[1]], [0]), [0, 2], 'from outside the mempool, which was too small for it');
  t.same(await through(3, [...known, ...unknown], [0]), [0, 3, 4], 'requested');
  t.same(await through(4, [known[0], unknown[0]], [0, 1, 2]), [0, 2], 'added by the sender, and lacked here');
  const { mempool, extra, prefilled, missing, collision, mismatch, busy } = relay.stats.blocks;
  t.same([mempool, extra, prefilled, missing, collision, mismatch, busy], [1, 1, 1, 1, 0, 0, 0]);
  t.same(relay.stats.txs, { mempool: 6, extra: 1, prefilled: 6, asked: 2 });
  t.equal(relay.stats.prefilledBytes, evicted.totalSize + unknown[0].totalSize * 2 + unknown[1].totalSize);
  t.same(sender.compact.blocks, { complete: 3, asked: 1, failed: 0 });
});

/** Makes a receiver over a mempool, and peers that record in `asked` what the receiver requests from them. */
function receiverOver({ clock, pool }: Pick<ReturnType<typeof createPool>, 'clock' | 'pool'>, wtxids = new WtxidIndex(pool)) {
  const asked: string[] = [];
  const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const peerThatTells = (id: number): Peer => {
    const peer = new Peer(id, 'inbound', { network: 'ipv4', bytes: new Uint8Array(4), port: 1 }, '', '', NO_PERMISSIONS, 0);
    peer.connection = {
      send: (_: string, payload: Uint8Array) => asked.push(...decodeInv(payload).map(({ hash }) => `${id} ${hexOf(hash)}`)),
    } as unknown as SocketConnection;
    return peer;
  };
  const context = {
    mempool: pool,
    chain: { isInitialBlockDownload: () => false },
    wtxids,
    clock,
    random: () => 0.5,
    crypto: hashes,
    log: silentLogger,
    options: { orphanScore: 100, services: 9n, blocksOnly: false },
    events: new EventEmitter(),
  };
  const download = new TxDownload(context as unknown as NetContext);
  const receiver = new TxReceiver(context as unknown as NetContext, download);
  context.events.on('orphansReady', () => receiver.workOrphans());
  download.addPeer({ relaysByWtxid: true } as Peer);
  return { asked, hexOf, peerThatTells, download, receiver };
}

t.test('ends the request for an oversized transaction, and requests its wtxid from no other peer', async (t) => {
  const { clock, pool } = createPool();
  const { asked, hexOf, peerThatTells, download, receiver } = receiverOver({ clock, pool });
  const tx = parseTx(
    buildTx({
      version: 2,
      inputs: [{ prevHash: numbered(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0, witness: [new Uint8Array(400_000)] }],
      outputs: [{ value: 1, script: new Uint8Array(0) }],
      locktime: 0,
    }),
    hashes,
  );
  const [one, two] = [peerThatTells(1), peerThatTells(2)];
  const announce = (peer: Peer, byWtxid: boolean): void => {
    download.noteAnnounced(peer, byWtxid ? tx.wtxid : tx.txid, byWtxid);
    clock.seconds += 10;
    download.send(peer);
  };
  await receiver.receiveTx(one, tx.bytes);
  t.equal(download.isKnown(tx.wtxid, true), false, 'an unrequested transaction is not checked');
  announce(one, false);
  t.same(asked.splice(0), [`1 ${hexOf(tx.txid)}`]);
  await receiver.receiveTx(one, tx.bytes);
  t.equal(download.requests.countInFlight(one), 0);
  announce(two, true);
  t.same(asked, [], 'known by its wtxid');
  announce(one, false);
  t.same(asked, [`1 ${hexOf(tx.txid)}`], 'and by its txid it may be another, with a smaller witness');
});

t.test('does not request transactions that a block has just confirmed', async (t) => {
  const { clock, pool } = createPool();
  const { asked, hexOf, peerThatTells, download } = receiverOver({ clock, pool });
  const script = new Uint8Array(40).fill(0x51);
  const [early, confirmed, other] = [paying([script]), paying([script, script]), paying([script, script, script])];
  const peer = peerThatTells(1);
  // One transaction was announced before the block, the other is announced in the same event-loop tick.
  download.noteAnnounced(peer, early.txid, false);
  download.onTip([{ txs: [early, confirmed] }], false);
  for (const tx of [confirmed, other]) download.noteAnnounced(peer, tx.txid, false);
  clock.seconds += 10;
  download.send(peer);
  t.same(asked, [`1 ${hexOf(other.txid)}`]);
  download.onTip([{ txs: [other] }], false);
  // A disconnected block clears the filter of recently confirmed transactions.
  download.onTip([], true);
  t.equal(download.isKnown(other.txid, false), false);
});

t.test('ignores a notfound for a transaction that was not requested from the peer', async (t) => {
  const { clock, pool } = createPool();
  const { asked, peerThatTells, download } = receiverOver({ clock, pool });
  const peer = peerThatTells(1);
  for (let n = 0; n < 5_000; n++) download.noteAnnounced(peer, numbered(n), true);
  for (let n = 0; n < 5_000; n++) download.notFound(peer, numbered(n));
  t.equal(download.requests.count(peer), 5_000);
  download.noteAnnounced(peer, numbered(5_000), true);
  t.equal(download.requests.count(peer), 5_000, 'the peer has the same limit as before');
  // A notfound message ends the request for the transaction.
  download.requests.noteRequested(peer, numbered(7), 60_000);
  t.equal(download.requests.countInFlight(peer), 1);
  download.notFound(peer, numbered(7));
  t.equal(download.requests.count(peer), 4_999);
  t.same(asked, []);
});

t.test('checks an orphan once more, not once per parent, when many parents arrive', async (t) => {
  const { clock, pool } = createPool();
  const parents = Array.from({ length: 40 }, (_, n) => paying([new Uint8Array(22).fill(n)]));
  const child = parseTx(
    buildTx({
      version: 2,
      inputs: parents.map(({ txid }) => ({ prevHash: txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0, witness: [] })),
      outputs: [{ value: 1, script: new Uint8Array(22) }],
      locktime: 0,
    }),
    hashes,
  );
  let judged = 0;
  let open: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { txid } = child;
  const mempool = {
    options: pool.options,
    has: () => false,
    stats: () => ({ transactions: 0, usageBytes: 0 }),
    // The check of the child waits until the test continues it, and then finds that another parent is missing.
    accept: async (tx: TxView) => {
      if (Buffer.compare(tx.txid, txid) !== 0) return { reject: null };
      if (judged++ > 0) await held;
      return { reject: { category: 'missing-inputs' } };
    },
  };
  const { peerThatTells, download, receiver } = receiverOver({ clock, pool: mempool as never }, new WtxidIndex(pool));
  const peer = peerThatTells(1);
  await receiver.receiveTx(peer, child.bytes);
  t.equal(download.orphans.size, 1);
  for (const parent of parents) await receiver.receiveTx(peer, parent.bytes);
  open();
  await until('the child is checked for all parents', () => judged >= 3);
  for (let i = 0; i < 200; i++) await new Promise(setImmediate);
  t.equal(judged, 3, 'as it came, for the first parent, and once for all others');
});

t.test('ignores bytes after a transaction, and does not store them with an orphan', async (t) => {
  const { chain: model, clock, pool } = createPool();
  const { peerThatTells, download, receiver } = receiverOver({ clock, pool });
  const anyone = Uint8Array.of(0x51);
  const script = Buffer.concat([hexBytes('0020'), hashes.sha256(anyone)]);
  const pay = (coin: Uint8Array, value: number) => spend(hashes, [coin], [{ value, script }], { witness: [anyone] });
  const good = pay(model.fund(90_000, script), 80_000);
  const orphan = pay(paying([script]).outpoint(0), 70_000);
  const peer = peerThatTells(1);
  // With an open request, the node also reads long messages.
  download.noteAnnounced(peer, numbered(77), true);
  clock.seconds += 10;
  download.send(peer);
  t.equal(download.requests.countInFlight(peer), 1);
  const padded = ({ bytes }: { bytes: Uint8Array }) => Buffer.concat([bytes, new Uint8Array(400_000)]);
  await receiver.receiveTx(peer, padded(good));
  t.ok(pool.has(good.txid), 'as good as without them');
  await receiver.receiveTx(peer, padded(orphan));
  t.equal(download.orphans.get(orphan.wtxid)?.buffer.length, orphan.totalSize);
});

t.test('keeps a valid orphan although a copy with another witness waits for the same parents', async (t) => {
  const { chain: model, clock, pool } = createPool();
  const { asked, hexOf, peerThatTells, download, receiver } = receiverOver({ clock, pool });
  const anyone = Uint8Array.of(0x51);
  const script = Buffer.concat([hexBytes('0020'), hashes.sha256(anyone)]);
  const pay = (coin: Uint8Array, value: number, witness: Uint8Array[]) => spend(hashes, [coin], [{ value, script }], { witness });
  const parent = pay(model.fund(90_000, script), 80_000, [anyone]);
  const good = pay(outpointOf(parent, 0), 70_000, [anyone]);
  const mutated = pay(outpointOf(parent, 0), 70_000, [Uint8Array.of(1), anyone]);
  t.same(mutated.txid, good.txid);
  t.notSame(mutated.wtxid, good.wtxid);
  const [attacker, honest, other] = [peerThatTells(1), peerThatTells(2), peerThatTells(3)];
  await receiver.receiveTx(attacker, mutated.bytes);
  t.equal(download.isKnown(good.wtxid, true), false);
  t.equal(download.isKnown(good.txid, false), false, 'by its txid it may be another than the one that waits');
  download.noteAnnounced(other, good.txid, false);
  clock.seconds += 10;
  download.send(other);
  t.same(
    asked.filter((line) => line.startsWith('3 ')),
    [`3 ${hexOf(good.txid)}`],
  );
  await receiver.receiveTx(honest, good.bytes);
  t.equal(download.orphans.size, 2, 'both wait');
  await receiver.receiveTx(honest, parent.bytes);
  await until('no orphan waits', () => download.orphans.size === 0);
  t.same(pool.get(good.txid)?.wtxid, good.wtxid, 'the valid copy is accepted');
});

/** A script whose coins need no signature. It is long enough that the transactions are not too small. */
const OPEN = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const payOpen = (coin: Uint8Array, value: number) => spend(hashes, [coin], [{ value, script: OPEN }]);

t.test('accepts a low-fee parent with a child of the same peer, trying the newest child first', async (t) => {
  for (const packages of [true, false]) {
    const { chain: model, clock, pool } = createPool({ policy: { ...NO_POLICY, minRelayFeeRate: 1_000, packages } });
    const { asked, hexOf, peerThatTells, download, receiver } = receiverOver({ clock, pool });
    const [one, other] = [peerThatTells(1), peerThatTells(2)];
    const parent = payOpen(model.fund(90_000), 90_000);
    const [rich, poor] = [80_000, 89_900].map((value) => payOpen(outpointOf(parent, 0), value)) as [TxView, TxView];
    await receiver.receiveTx(other, parent.bytes);
    t.equal(download.noteAnnounced(other, parent.wtxid, true), true, 'it is not requested by itself');
    await receiver.receiveTx(one, rich.bytes);
    await receiver.receiveTx(one, poor.bytes);
    t.equal(download.orphans.size, packages ? 2 : 0);
    clock.seconds += 10;
    download.send(one);
    t.same(asked, packages ? [`1 ${hexOf(parent.txid)}`] : [], 'but for the sake of its children');
    await receiver.receiveTx(other, parent.bytes);
    t.equal(download.orphans.size, packages ? 2 : 0, 'the other peer has no child of it');
    await receiver.receiveTx(one, parent.bytes);
    t.equal(pool.size, 0);
    t.equal(download.orphans.has(poor.wtxid), false, 'the newest was tried, and failed');
    await receiver.receiveTx(one, parent.bytes);
    t.same([pool.has(parent.txid), pool.has(rich.txid)], [packages, packages], 'then the one before it');
    if (!packages) continue;
    t.equal(download.orphans.size, 0);
    t.equal(download.noteAnnounced(one, poor.wtxid, true), true);
    download.onTip([{ txs: [] }], false);
    t.equal(download.noteAnnounced(one, poor.wtxid, true), false, 'the next tip makes everything new');
  }
});

t.test('rejects an orphan with two low-fee parents, but keeps one with a single low-fee parent', async (t) => {
  const { chain: model, clock, pool } = createPool({ policy: { ...NO_POLICY, minRelayFeeRate: 1_000, packages: true } });
  const { peerThatTells, download, receiver } = receiverOver({ clock, pool });
  const peer = peerThatTells(1);
  const parents = [1, 2].map((n) => payOpen(model.fund(90_000 + n), 90_000 + n)) as [TxView, TxView];
  for (const parent of parents) await receiver.receiveTx(peer, parent.bytes);
  const both = spend(
    hashes,
    parents.map((parent) => outpointOf(parent, 0)),
    [{ value: 10_000, script: OPEN }],
  );
  await receiver.receiveTx(peer, both.bytes);
  t.equal(download.orphans.size, 0);
  t.equal(download.isKnown(both.txid, false), true, 'whatever its witness');
  await receiver.receiveTx(peer, payOpen(outpointOf(parents[0], 0), 1_000).bytes);
  t.equal(download.orphans.size, 1);
});

t.test('requests parents from each peer that announces an orphan, and delays its messages', async (t) => {
  const { chain: model, clock, pool } = createPool({ policy: NO_POLICY });
  const { asked, hexOf, peerThatTells, download, receiver } = receiverOver({ clock, pool });
  const [one, other] = [peerThatTells(1), peerThatTells(2)];
  const chain = [payOpen(model.fund(90_000), 80_000)];
  for (let n = 1; n < 12; n++) chain.push(payOpen(outpointOf(chain[n - 1] as TxView, 0), 80_000 - n * 1_000));
  const [root, ...rest] = chain as [TxView, ...TxView[]];
  for (const tx of rest) await receiver.receiveTx(one, tx.bytes);
  t.equal(download.orphans.size, 11);
  t.equal(download.noteAnnounced(other, (rest[0] as TxView).wtxid, true), true);
  t.equal(download.orphans.hasFrom((rest[0] as TxView).wtxid, other), true);
  for (const part of [download, receiver]) part.forgetPeer(one);
  t.equal(download.orphans.size, 1, 'the other peer still has one of them');
  clock.seconds += 10;
  download.send(other);
  t.same(asked.splice(0), [`2 ${hexOf(root.txid)}`]);
  const third = peerThatTells(3);
  for (const tx of rest.slice(1)) await receiver.receiveTx(third, tx.bytes);
  t.equal(receiver.settled(third), undefined);
  await receiver.receiveTx(other, root.bytes);
  await receiver.settled(other);
  t.ok(pool.has((rest[0] as TxView).txid));
  for (let turn = 0; turn < 50 && receiver.settled(third) !== undefined; turn++) await receiver.settled(third);
  t.equal(pool.size, 12, 'each one wakes the next');
});

/**
 * A P2WSH script whose witness script is OP_TRUE. Witnesses with additional elements before the script can spend it
 * too.
 */
const WITNESS_SCRIPT = Uint8Array.of(0x51);
const BY_WITNESS = Buffer.concat([hexBytes('0020'), hashes.sha256(WITNESS_SCRIPT)]);

t.test('keeps a child although its known or confirmed parent comes without its witness', async (t) => {
  for (const confirmed of [false, true]) {
    const { chain: model, clock, pool } = createPool({ policy: NO_POLICY });
    const { peerThatTells, download, receiver } = receiverOver({ clock, pool });
    const [honest, attacker] = [peerThatTells(1), peerThatTells(2)];
    const known = spend(hashes, [model.fund(90_000, BY_WITNESS)], [{ value: 80_000, script: OPEN }], { witness: [WITNESS_SCRIPT] });
    await receiver.receiveTx(honest, known.bytes);
    t.ok(pool.has(known.txid));
    if (confirmed) {
      model.connect([known]);
      // Clear the filter of recently confirmed transactions, as if the confirmation was long ago.
      download.onTip([], true);
      await model.coins.prefetch([outpointOf(known, 0)]);
    }
    await receiver.receiveTx(attacker, known.stripped());
    const unknown = payOpen(Buffer.concat([numbered(5), new Uint8Array(4)]), 10_000);
    const child = spend(hashes, [outpointOf(known, 0), outpointOf(unknown, 0)], [{ value: 70_000, script: OPEN }]);
    await receiver.receiveTx(honest, child.bytes);
    t.ok(download.orphans.has(child.wtxid), `its parent is ${confirmed ? 'confirmed' : 'in the mempool'}`);
  }
});

t.test('keeps a child although an inflated witness makes its parent too large', async (t) => {
  const { chain: model, clock, pool } = createPool({ policy: { ...NO_POLICY, minRelayFeeRate: 1_000, packages: true } });
  const { peerThatTells, download, receiver } = receiverOver({ clock, pool });
  const [honest, attacker] = [peerThatTells(1), peerThatTells(2)];
  const coin = model.fund(90_000, BY_WITNESS);
  const parentWith = (witness: Uint8Array[]): TxView => spend(hashes, [coin], [{ value: 90_000, script: OPEN }], { witness });
  const parent = parentWith([WITNESS_SCRIPT]);
  const bloated = parentWith([...Array.from({ length: 100 }, () => new Uint8Array(500)), WITNESS_SCRIPT]);
  t.same(bloated.txid, parent.txid);
  const child = payOpen(outpointOf(parent, 0), 85_000);
  await receiver.receiveTx(honest, child.bytes);
  t.equal(download.noteAnnounced(attacker, child.wtxid, true), true);
  await receiver.receiveTx(attacker, bloated.bytes);
  t.equal(pool.size, 0);
  t.ok(download.orphans.hasFrom(child.wtxid, honest), 'the pair paid too little, which is not the fault of the child');
  await receiver.receiveTx(honest, parent.bytes);
  t.same([pool.has(parent.txid), pool.has(child.txid)], [true, true]);
});

t.test('does not block the messages of a peer when its orphan cannot be checked now', async (t) => {
  const { chain: model, clock, pool } = createPool({ policy: NO_POLICY });
  let busy = 0;
  const mempool = new Proxy(pool, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (name !== 'accept') return typeof value === 'function' ? value.bind(target) : value;
      return async (tx: TxView) => {
        if (busy > 0 && --busy === 0) throw new Error('busy');
        return target.accept(tx);
      };
    },
  });
  const { peerThatTells, download, receiver } = receiverOver({ clock, pool: mempool }, new WtxidIndex(pool));
  const peer = peerThatTells(1);
  const parent = spend(
    hashes,
    [model.fund(90_000)],
    [1, 2, 3].map(() => ({ value: 20_000, script: OPEN })),
  );
  const children = [0, 1, 2].map((n) => payOpen(outpointOf(parent, n), 10_000));
  for (const tx of children) await receiver.receiveTx(peer, tx.bytes);
  t.equal(download.orphans.size, 3);
  busy = 3;
  await receiver.receiveTx(peer, parent.bytes);
  const waited = async (): Promise<boolean> => {
    let done = false;
    void Promise.resolve(receiver.settled(peer)).then(() => {
      done = true;
    });
    for (let i = 0; i < 100; i++) await new Promise(setImmediate);
    return done;
  };
  t.equal(await waited(), true, 'while the orphans are checked');
  t.equal(await waited(), true, 'and later');
});

t.test('looks up the parents of an orphan once for all peers that announce it', async (t) => {
  const { clock, pool } = createPool({ policy: NO_POLICY });
  let looked = 0;
  const counting = new Proxy(pool, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (name === 'has') looked++;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { peerThatTells, download, receiver } = receiverOver({ clock, pool: counting }, new WtxidIndex(pool));
  const wide = spend(
    hashes,
    Array.from({ length: 600 }, (_, n) => Buffer.concat([numbered(n), new Uint8Array(4)])),
    [{ value: 1, script: OPEN }],
  );
  const peers = Array.from({ length: 20 }, (_, n) => peerThatTells(n));
  for (const peer of peers) download.noteAnnounced(peer, wide.wtxid, true);
  looked = 0;
  await receiver.receiveTx(peers[0] as Peer, wide.bytes);
  t.ok(download.orphans.announcements > 1);
  t.ok(looked <= 600, `${looked} look-ups of 600 parents`);
  const busy = peerThatTells(99);
  for (let n = 0; n < 4_500; n++) download.noteAnnounced(busy, numbered(10_000 + n), true);
  looked = 0;
  for (let n = 0; n < 10; n++) t.equal(download.noteAnnounced(busy, wide.wtxid, true), true);
  t.equal(looked, 0);

  // Each entry of an inv that names an orphan is a separate step, so that other peers are served in between.
  const named = { orphans: { has: () => true }, noteAnnounced: () => true };
  const chain = { isInitialBlockDownload: () => false };
  const context = { chain, log: silentLogger, options: { blocksOnly: false }, scheduleRound: () => {} } as unknown as NetContext;
  const inventory = new Inventory(context, { txDownload: named, announcer: { noteKnownHash: () => {} } } as never);
  busy.relaysByWtxid = true;
  const entries = Array.from({ length: 10 }, () => ({ type: INV.WTX, hash: wide.wtxid }));
  t.equal([...inventory.inv(busy, encodeInv(entries))].length, 10);
});

t.test('does not read the transactions of a block that was not requested', async (t) => {
  const { receiver } = compactWorld(createPool());
  const peer = compactPeer(1, () => t.fail('nothing is sent'));
  await t.resolves(receiver.receiveTxs(peer, Buffer.concat([numbered(1), Uint8Array.of(200)])));
  const sixteenThousand = { header: new Uint8Array(80), nonce: 0n, shortIds: new Array<number>(16_667).fill(0), prefilled: [] };
  t.throws(() => decodeCompactBlock(encodeCompactBlock(sixteenThousand), hashes), 'no block has so many');
});
