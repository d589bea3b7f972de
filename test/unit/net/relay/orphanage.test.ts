// Compares the store of transactions that wait for their parents with a naive model, and tests how one peer can affect
// the orphans of others.

import t from 'tap';
import { buildTx } from '../../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../../src/crypto/pure.js';
import { NO_PERMISSIONS } from '../../../../src/net/options.js';
import { Peer } from '../../../../src/net/peer/peer.js';
import { Orphanage } from '../../../../src/net/relay/orphanage.js';
import { fc } from '../../../framework/fast-check.js';

const hashes = createPureHashes();
const numbered = (n: number): Uint8Array => hashes.sha256(Uint8Array.of(n, n >> 8, n >> 16, 9));
const peerOf = (id: number): Peer =>
  new Peer(id, 'inbound', { network: 'ipv4', bytes: new Uint8Array(4), port: id }, '', '', NO_PERMISSIONS, 0);
const keyOf = ({ wtxid }: TxView): string => Buffer.from(wtxid).toString('hex');

/** Makes a transaction that spends these outputs. `tag` makes it differ from others, `padding` bytes make it larger. */
function spending(outpoints: readonly (readonly [parent: Uint8Array, output: number])[], tag: number, padding = 0): TxView {
  const tx = {
    version: 2,
    inputs: outpoints.map(([prevHash, prevIndex]) => ({ prevHash, prevIndex, scriptSig: new Uint8Array(0), sequence: 0, witness: [] })),
    outputs: [{ value: tag, script: new Uint8Array(padding) }],
    locktime: 0,
  };
  return parseTx(buildTx(tx), hashes);
}

t.test('tracks the announcers of an orphan, its missing parents, and its removal', async (t) => {
  const orphanage = new Orphanage({ score: 3_000, weightPerPeer: 404_000 }, () => 0.99);
  const [a, b] = [peerOf(1), peerOf(2)];
  const parent = spending([[numbered(1), 0]], 5);
  const child = spending([[parent.txid, 0]], 6);
  const astray = spending([[parent.txid, 1]], 7);
  t.equal(orphanage.add(child, a), true);
  t.equal(orphanage.add(child, b), false, 'known, and announced by another');
  t.equal(orphanage.add(child, b), false);
  t.equal(orphanage.add(astray, a), true);
  t.same(
    orphanage.list().map(({ announcers }) => announcers.map(({ id }) => id)),
    [[1, 2], [1]],
  );
  t.same([orphanage.size, orphanage.announcements, orphanage.score], [2, 3, 3]);
  t.equal(orphanage.markChildrenReady(spending([[numbered(2), 0]], 5)), false, 'no orphan waits for it');
  t.equal(orphanage.markChildrenReady(parent), true);
  t.equal(orphanage.markChildrenReady(parent), false, 'it is in line once');
  t.same([orphanage.hasReady(a), orphanage.hasReady(b)], [false, true], 'one of its announcers, by chance; the output 1 does not exist');
  t.equal(orphanage.takeReady(b), child);
  t.equal(orphanage.takeReady(b), undefined);
  orphanage.markChildrenReady(parent);
  t.same(orphanage.childrenOf(parent, b), [child]);
  t.same(orphanage.childrenOf(parent, a), [astray, child], 'the newest first');
  t.equal(orphanage.forgetPeer(b), 1);
  t.equal(orphanage.hasReady(b), false);
  t.equal(orphanage.has(child.wtxid), true, 'the other peer still has it');
  t.equal(orphanage.forgetPeer(a), 2);
  t.same([orphanage.size, orphanage.announcements, orphanage.score, orphanage.weight], [0, 0, 0, 0]);

  orphanage.add(child, a);
  t.equal(orphanage.onBlock([spending([[parent.txid, 0]], 99)]), 1, 'a block spent what it spends');
  t.equal(orphanage.size, 0);
  t.equal(orphanage.add(spending([[numbered(3), 0]], 1, 100_000), a), false, 'too large');
});

t.test('evicts only the orphans of the peer that exceeds its share', async (t) => {
  const orphanage = new Orphanage({ score: 3_000, weightPerPeer: 404_000 }, () => 0);
  const [honest, flood] = [peerOf(1), peerOf(2)];
  const kept = Array.from({ length: 1_000 }, (_, n) => spending([[numbered(n), 0]], 1));
  for (const tx of kept) orphanage.add(tx, honest);
  for (let n = 0; n < 10_000; n++) orphanage.add(spending([[numbered(n), 1]], 2), flood);
  t.equal(orphanage.score, 3_000, 'what is free may be used');
  t.same(orphanage.used(flood).announcements, 2_000);
  t.ok(
    kept.every(({ wtxid }) => orphanage.has(wtxid)),
    'nothing of the other peer left',
  );
  // The flooding peer also announces the transactions of the honest one. This does not remove them either.
  for (const { wtxid } of kept) orphanage.addAnnouncer(wtxid, flood);
  t.ok(kept.every(({ wtxid }) => orphanage.hasFrom(wtxid, honest)));
  t.ok(orphanage.score <= 3_000);
  const large = Array.from({ length: 20 }, (_, n) => spending([[numbered(n), 2]], 3, 90_000));
  for (const tx of large) orphanage.add(tx, flood);
  t.ok(orphanage.weight <= 2 * 404_000);
  t.ok(kept.every(({ wtxid }) => orphanage.hasFrom(wtxid, honest)));
  t.equal(orphanage.has((large.at(-1) as TxView).wtxid), true, 'its newest is there, its oldest went');
  t.equal(orphanage.has((large[0] as TxView).wtxid), false);
  const wide = Array.from({ length: 40 }, (_, n) =>
    spending(
      Array.from({ length: 2_000 }, (_, i) => [numbered(n), i] as const),
      4,
    ),
  );
  for (const tx of wide) orphanage.add(tx, flood);
  t.ok(orphanage.score <= 3_000, 'inputs count');
  t.ok(kept.every(({ wtxid }) => orphanage.hasFrom(wtxid, honest)));
});

t.test('evicts an orphan that is ready to be checked again only after the others', async (t) => {
  const orphanage = new Orphanage({ score: 3, weightPerPeer: 404_000 }, () => 0);
  const [peer] = [peerOf(1)];
  const parent = spending([[numbered(1), 0]], 5);
  const [woken, other, third, fourth] = [0, 1, 2, 3].map((n) => spending([n === 0 ? [parent.txid, 0] : [numbered(n), 0]], n)) as [
    TxView,
    TxView,
    TxView,
    TxView,
  ];
  for (const tx of [woken, other, third]) orphanage.add(tx, peer);
  orphanage.markChildrenReady(parent);
  orphanage.add(fourth, peer);
  t.same(
    [woken, other, third, fourth].map(({ wtxid }) => orphanage.has(wtxid)),
    [true, false, true, true],
  );
});

/** A model that stores pairs of transaction and peer in a list. */
class NaiveOrphanage {
  pairs: { readonly tx: TxView; readonly peer: Peer }[] = [];

  constructor(
    readonly score: number,
    readonly weight: number,
  ) {}

  add(tx: TxView, peer: Peer): void {
    if (this.pairs.some((pair) => keyOf(pair.tx) === keyOf(tx) && pair.peer === peer)) return;
    this.pairs.push({ tx, peer });
    this.#limit();
  }
  drop(gone: (tx: TxView, peer: Peer) => boolean): void {
    const before = this.pairs.length;
    this.pairs = this.pairs.filter(({ tx, peer }) => !gone(tx, peer));
    if (this.pairs.length < before) this.#limit();
  }
  get #unique(): TxView[] {
    return [...new Map(this.pairs.map(({ tx }) => [keyOf(tx), tx])).values()];
  }
  get #peers(): Peer[] {
    return [...new Set(this.pairs.map(({ peer }) => peer))];
  }
  get #tooMuch(): boolean {
    const points = this.pairs.length + this.#unique.reduce((sum, { inputCount }) => sum + Math.floor(inputCount / 10), 0);
    const weight = this.#unique.reduce((sum, tx) => sum + tx.weight, 0);
    return points > this.score || weight > this.weight * Math.max(1, this.#peers.length);
  }
  #limit(): void {
    const share = Math.floor(this.score / Math.max(1, this.#peers.length));
    while (this.#tooMuch) {
      const loads = this.#peers.map((peer) => {
        const own = this.pairs.filter((pair) => pair.peer === peer).map(({ tx }) => tx);
        const points = own.reduce((sum, { inputCount }) => sum + 1 + Math.floor(inputCount / 10), 0) / share;
        const weight = own.reduce((sum, tx) => sum + tx.weight, 0) / this.weight;
        return { peer, load: Math.max(points, weight), byPoints: points >= weight };
      });
      loads.sort((a, b) => b.load - a.load || Number(b.byPoints) - Number(a.byPoints) || b.peer.id - a.peer.id);
      const worst = (loads[0] as { peer: Peer }).peer;
      this.pairs.splice(
        this.pairs.findIndex(({ peer }) => peer === worst),
        1,
      );
    }
  }
}

t.test('keeps and evicts the same orphans as a naive model', async (t) => {
  const peers = [1, 2, 3].map(peerOf);
  const sizes = [0, 0, 0, 700, 2_500];
  const txs = Array.from({ length: 40 }, (_, n) =>
    spending(
      Array.from({ length: n % 7 === 0 ? 25 : 1 }, (_, i) => [numbered(n % 11), n * 100 + i] as const),
      n,
      sizes[n % sizes.length],
    ),
  );
  const step = fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('add' as const), tx: fc.nat(39), peer: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), tx: fc.nat(39), peer: fc.constant(0) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), tx: fc.constant(0), peer: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('block' as const), tx: fc.nat(39), peer: fc.constant(0) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const orphanage = new Orphanage({ score: 12, weightPerPeer: 16_000 }, () => 0);
      const naive = new NaiveOrphanage(12, 16_000);
      for (const { kind, tx: at, peer: who } of steps) {
        const [tx, peer] = [txs[at] as TxView, peers[who] as Peer];
        if (kind === 'add') {
          orphanage.add(tx, peer);
          naive.add(tx, peer);
        } else if (kind === 'forget') {
          orphanage.forgetPeer(peer);
          naive.drop((_, one) => one === peer);
        } else {
          if (kind === 'remove') orphanage.remove(tx.wtxid);
          else orphanage.onBlock([tx]);
          naive.drop((one) => keyOf(one) === keyOf(tx));
        }
        const have = orphanage.list().flatMap(({ tx: one, announcers }) => announcers.map(({ id }) => `${keyOf(one)} ${id}`));
        const want = naive.pairs.map((pair) => `${keyOf(pair.tx)} ${pair.peer.id}`);
        if (have.sort().join() !== want.sort().join()) return false;
      }
      return true;
    }),
    { numRuns: 300 },
  );
  t.pass();
});
