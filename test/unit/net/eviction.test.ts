// Tests the choice of the inbound peer to evict, one criterion at a time. The peers under test are always the youngest
// of one address group, so that only the criterion under test can protect them. Figures from Core's
// AttemptToEvictConnection (0.21.1): 4 by group, 8 by ping, 4 by transactions, 8 that relay blocks only, 4 by blocks,
// half of the rest by age, half of that half for local peers.
import t from 'tap';
import { NO_PERMISSIONS } from '../../../src/net/options.js';
import { evictionCandidate } from '../../../src/net/peer/eviction.js';
import type { Peer } from '../../../src/net/peer/peer.js';
import { groupOf, type NetAddress, parseHost } from '../../../src/net/wire/net-address.js';

const at = (host: string): NetAddress => parseHost(host, 8333) as NetAddress;

function peer(id: number, more: Partial<Peer> = {}): Peer {
  return {
    id,
    inbound: true,
    leaving: false,
    permissions: NO_PERMISSIONS,
    address: at('5.5.1.1'),
    minPingMs: 500,
    lastTxTime: 1_000,
    lastBlockTime: 1_000,
    relaysTxs: true,
    isClient: false,
    filter: null,
    connectedAt: id,
    ...more,
  } as Peer;
}

/** Peers that only their age distinguishes, oldest first. */
const crowd = Array.from({ length: 40 }, (_, id) => peer(id));

/** Adds these peers to the crowd, each younger than the one before. Returns the id of the peer that is evicted. */
const goes = (youngest: readonly Partial<Peer>[]): number | undefined => {
  const all = [...crowd, ...youngest.map((more, i) => peer(100 + i, more))];
  return evictionCandidate(all, 1, groupOf)?.id;
};
const times = (count: number, more: (i: number) => Partial<Peer>): Partial<Peer>[] => Array.from({ length: count }, (_, i) => more(i));

t.test('evicts the youngest peer when nothing else distinguishes the peers', async (t) => {
  t.equal(evictionCandidate([], 1, groupOf), null);
  t.equal(goes([]), 39);
  t.equal(goes([{}]), 100);
});

t.test('protects the eight peers with the lowest ping from eviction', async (t) => {
  t.equal(goes(times(8, (i) => ({ minPingMs: 1 + i }))), 39);
  t.equal(goes(times(9, (i) => ({ minPingMs: 1 + i }))), 108, 'the slowest of nine is not one of them');
  t.equal(goes([{ minPingMs: -1 }]), 100, 'a ping that was never measured is no short one');
});

t.test('protects the four peers that most recently sent transactions from eviction', async (t) => {
  t.equal(goes(times(4, (i) => ({ lastTxTime: 2_000 - i }))), 39);
  t.equal(goes(times(5, (i) => ({ lastTxTime: 2_000 - i }))), 104);
});

t.test('protects the four peers that most recently sent blocks from eviction', async (t) => {
  t.equal(goes(times(4, (i) => ({ lastBlockTime: 2_000 - i }))), 39);
  t.equal(goes(times(5, (i) => ({ lastBlockTime: 2_000 - i }))), 104);
});

t.test('protects eight more peers that relay only blocks from eviction', async (t) => {
  const quiet = (i: number): Partial<Peer> => ({ relaysTxs: false, lastBlockTime: 2_000 - i });
  // Eight are protected because they relay only blocks, and four of the others because of their blocks.
  t.equal(goes(times(12, quiet)), 39);
  t.equal(goes(times(13, quiet)), 112);
  t.equal(goes(times(5, (i) => ({ ...quiet(i), isClient: true }))), 104, 'a peer without blocks is none of them');
});

t.test('reserves a quarter of the remaining slots for local peers', async (t) => {
  const local = (): Partial<Peer> => ({ address: at('127.0.0.1') });
  // The rules protect 20 of the crowd's 40: 4 by group, 8 by ping, 4 by transactions, 4 by blocks. With n local peers,
  // 20 + n remain.
  const one = (count: number): number | undefined => {
    const all = [...crowd, ...times(count, local).map((more, i) => peer(100 + i, more))];
    return evictionCandidate(all, 1, () => 'one neighbourhood')?.id;
  };
  t.equal(one(6), 39, 'floor(floor(26 / 2) / 2) = 6 are protected');
  t.equal(one(7), 106, 'and 6 of 7 too');
});

t.test('protects half of the remaining peers by connection time, but never the last candidate', async (t) => {
  // 21 remain. Ten of them are protected as the oldest, and the youngest of the other eleven is evicted.
  t.equal(goes([{}]), 100);
  t.equal(evictionCandidate(crowd.slice(0, 20), 1, groupOf), null, 'twenty peers are protected by the rules');
  t.equal(evictionCandidate(crowd.slice(0, 21), 1, groupOf)?.id, 20);
});

t.test('evicts a peer with a discouraged address first, unless another rule protects it', async (t) => {
  t.equal(goes([{}, { preferEvict: true }, {}, {}]), 101, 'though not the youngest');
  t.equal(goes([{}, { preferEvict: true }, { preferEvict: true }, {}]), 102);
  t.equal(goes([{}, { preferEvict: true, lastBlockTime: 2_000 }, {}]), 102);
});

t.test('evicts the youngest peer of the largest network group', async (t) => {
  const away = (i: number): Partial<Peer> => ({ address: at(`9.${i}.1.1`) });
  t.equal(goes(times(5, away)), 39, 'not the youngest of all');
  const all = [...crowd, ...times(5, away).map((more, i) => peer(100 + i, more))];
  for (let salt = 0; salt < 20; salt++) t.equal(evictionCandidate(all, salt, groupOf)?.id, 39, 'whichever groups the salt protects');
  t.equal(goes(times(1, () => ({ permissions: { ...NO_PERMISSIONS, noban: true } }))), 39);
  t.equal(goes(times(1, () => ({ inbound: false }))), 39);
  t.equal(goes(times(1, () => ({ leaving: true }))), 39);
});
