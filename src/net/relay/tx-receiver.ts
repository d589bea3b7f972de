// Transactions of peers: which are asked for, what happens with those that come, and with those that wait for parents (Core's handling of
// inv, tx and notfound). Callers: Net's table of messages and sending round.

import { hashKey, hashToHex } from '../../consensus/bytes/hex.js';
import type { Reject } from '../../consensus/state.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { yieldToLoop } from '../../lib/turns.js';
import { MAX_STANDARD_WEIGHT } from '../../policy/standard-tx.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { punishForTx } from '../sync/blame.js';
import { encodeInv, type InvItem } from '../wire/messages.js';
import { INV, SERVICE } from '../wire/protocol.js';
import { type Orphan, Orphanage } from './orphanage.js';
import { RollingBloom } from './rolling-bloom.js';
import { TxRequests } from './tx-requests.js';

/** Peers we did not choose are asked later, as are those that only know txids while others know wtxids, and those with much to answer. */
const NONPREF_PEER_TX_DELAY_MS = 2_000;
const TXID_RELAY_DELAY_MS = 2_000;
const OVERLOADED_PEER_TX_DELAY_MS = 2_000;
const MAX_PEER_TX_REQUEST_IN_FLIGHT = 100;
/** When another peer is asked instead. */
const GETDATA_TX_INTERVAL_MS = 60_000;
/** Entries of one getdata. */
const MAX_GETDATA_SIZE = 1_000;
/** Hashes of rejected and of recently confirmed transactions. */
const REJECTS = 120_000;
const CONFIRMED = 48_000;
const FALSE_HITS = 0.000001;
/** What a block confirmed goes into the filter so much later, unless a peer's announcement asks for it before. */
const NOTING_DELAY_MS = 50;
/** Orphans looked at in one step, so that a peer's message can't make us work for long. */
const ORPHANS_PER_STEP = 10;

export class TxReceiver {
  readonly orphans: Orphanage;
  readonly requests = new TxRequests();
  /** Wtxids (and txids, where the witness doesn't matter) that failed, until the tip changes. */
  readonly #rejects = new RollingBloom(REJECTS, FALSE_HITS);
  readonly #confirmed = new RollingBloom(CONFIRMED, FALSE_HITS);
  /** Confirmed, but not in the filter yet: it can wait until the block has become new work. */
  #unnoted: TxView[] = [];
  #noting: NodeJS.Timeout | null = null;
  /** Orphans whose parent came, by the peer that sent it. */
  readonly #ready = new Set<Orphan>();
  #working = false;

  constructor(
    private readonly context: NetContext,
    /** Peers the handshake is over with and that speak BIP-0339. */
    private readonly wtxidPeers: () => number,
    /** Notes that a peer knows a transaction. */
    private readonly noteKnown: (peer: Peer, tx: TxView) => void,
  ) {
    this.orphans = new Orphanage(context.options.maxOrphans, context.random);
  }

  /** A transaction became part of the mempool: it is passed on. */
  onAccepted: (tx: TxView) => void = () => {};
  /** Transactions that compact blocks may still contain. */
  onUnused: (tx: TxView) => void = () => {};

  /** The tip changed: what was refused may be fine now. */
  onTip(connected: readonly { readonly txs: readonly TxView[] }[], disconnected: boolean): void {
    this.#rejects.reset();
    if (disconnected) {
      this.#unnoted = [];
      this.#confirmed.reset();
    }
    // In initial download nobody is asked for transactions.
    if (this.context.chain.isInitialBlockDownload()) return;
    for (const { txs } of connected) {
      this.orphans.onBlock(txs);
      this.#unnoted = this.#unnoted.concat(txs);
    }
    if (this.#unnoted.length === 0 || this.#noting !== null) return;
    this.#noting = setTimeout(() => {
      this.#noting = null;
      this.#noteConfirmed();
    }, NOTING_DELAY_MS);
    this.#noting.unref();
  }

  /** Puts what blocks confirmed into the filter. Before anything is looked up there. */
  #noteConfirmed(): void {
    const txs = this.#unnoted;
    this.#unnoted = [];
    for (const tx of txs) {
      this.#confirmed.add(tx.txid);
      this.requests.forget(tx.txid);
      if (!tx.hasWitness) continue;
      this.#confirmed.add(tx.wtxid);
      this.requests.forget(tx.wtxid);
    }
  }

  /** Entries of an inv that name transactions. */
  announced(peer: Peer, hash: Uint8Array, byWtxid: boolean): void {
    const { permissions } = peer;
    if (!permissions.relay && this.requests.full(peer)) return;
    const preferred = !peer.inbound || permissions.noban;
    let delay = preferred ? 0 : NONPREF_PEER_TX_DELAY_MS;
    if (!byWtxid && this.wtxidPeers() > 0) delay += TXID_RELAY_DELAY_MS;
    const overloaded = !permissions.relay && this.requests.countInFlight(peer) >= MAX_PEER_TX_REQUEST_IN_FLIGHT;
    if (overloaded) delay += OVERLOADED_PEER_TX_DELAY_MS;
    this.requests.announced(peer, hash, byWtxid, preferred, this.context.clock.nowMs() + delay);
  }

  /** Whether there is no point in asking for a transaction. */
  isKnown(hash: Uint8Array, byWtxid: boolean): boolean {
    // Among orphans a txid finds only one without a witness: another copy may be the right one.
    if (this.orphans.has(hash)) return true;
    if (this.#unnoted.length > 0) this.#noteConfirmed();
    if (this.#confirmed.has(hash) || this.#rejects.has(hash)) return true;
    const { mempool, wtxids } = this.context;
    return byWtxid ? wtxids.get(hash) !== undefined : mempool.has(hash);
  }

  /** Sends the requests that are due. */
  send(peer: Peer): void {
    const now = this.context.clock.nowMs();
    let items: InvItem[] = [];
    const witnesses = (this.context.options.services & SERVICE.WITNESS) !== 0n;
    for (const { hash, byWtxid } of this.requests.due(peer, now)) {
      if (this.isKnown(hash, byWtxid)) {
        this.requests.forget(hash);
        continue;
      }
      this.context.log.debug('net', `Requesting ${byWtxid ? 'wtx' : 'tx'} ${hashToHex(hash)} peer=${peer.id}`);
      items.push({ type: byWtxid ? INV.WTX : peer.hasWitness && witnesses ? INV.WITNESS_TX : INV.TX, hash });
      this.requests.requested(peer, hash, now + GETDATA_TX_INTERVAL_MS);
      if (items.length < MAX_GETDATA_SIZE) continue;
      peer.send('getdata', encodeInv(items));
      items = [];
    }
    if (items.length > 0) peer.send('getdata', encodeInv(items));
  }

  /** Entries of a notfound. */
  notFound(peer: Peer, hash: Uint8Array): void {
    this.requests.notFound(peer, hash);
  }

  /** tx. @throws DecodeError */
  async receive(peer: Peer, payload: Uint8Array): Promise<void> {
    const { context } = this;
    const { log, mempool } = context;
    if ((context.options.blocksOnly && !peer.permissions.relay) || !peer.relaysTransactions) {
      log.debug('net', `transaction sent in violation of protocol peer=${peer.id}`);
      context.disconnect(peer);
      return;
    }
    // Its weight is no less than its length: not worth a look, unless it answers a request, which is over then.
    const tooLong = payload.length > MAX_STANDARD_WEIGHT && mempool.options.policy.requireStandard;
    const noteTooLarge = (): void =>
      log.debug('mempoolrej', `a transaction of ${payload.length} bytes from peer=${peer.id} was not accepted: tx-size`);
    if (tooLong && this.requests.countInFlight(peer) === 0) {
      noteTooLarge();
      return;
    }
    const parsed = parseTx(payload, context.crypto);
    // Bytes after a transaction say nothing about it, and are not kept with it.
    const tx = parsed.totalSize === payload.length ? parsed : parseTx(payload.slice(0, parsed.totalSize), context.crypto);
    this.noteKnown(peer, tx);
    this.requests.answered(peer, tx.txid);
    if (tx.hasWitness) this.requests.answered(peer, tx.wtxid);
    if (tooLong && tx.weight > MAX_STANDARD_WEIGHT) {
      noteTooLarge();
      // Nobody else is asked for the same.
      this.#rejects.add(tx.wtxid);
      this.requests.forget(tx.wtxid);
      return;
    }
    if (this.isKnown(tx.wtxid, true)) {
      if (!peer.permissions.forcerelay) return;
      if (mempool.has(tx.txid)) {
        log.info(`Force relaying tx ${hashToHex(tx.txid)} from peer=${peer.id}`);
        this.onAccepted(tx);
      } else log.info(`Not relaying non-mempool transaction ${hashToHex(tx.txid)} from forcerelay peer=${peer.id}`);
      return;
    }
    const { reject } = await mempool.accept(tx);
    if (reject === null) {
      this.#taken(tx);
      peer.lastTxTime = context.clock.nowSeconds();
      const { transactions, usageBytes } = mempool.stats();
      log.debug(
        'mempool',
        `AcceptToMemoryPool: peer=${peer.id}: accepted ${hashToHex(tx.txid)} (poolsz ${transactions} txn, ${Math.floor(usageBytes / 1000)} kB)`,
      );
      this.#workOrphans().catch((error: Error) => log.error(`Orphans: ${error.message}`));
      return;
    }
    if (reject.category === 'missing-inputs') {
      // Nothing is remembered of a peer that has gone meanwhile.
      if (!peer.leaving) this.#keepOrphan(peer, tx);
    } else this.#refused(peer, tx, reject);
  }

  /** The peer is gone. */
  forget(peer: Peer): void {
    this.requests.forgetPeer(peer);
    const erased = this.orphans.forgetPeer(peer);
    if (erased > 0) this.context.log.debug('mempool', `Erased ${erased} orphan tx from peer=${peer.id}`);
  }

  #taken(tx: TxView): void {
    this.requests.forget(tx.txid);
    this.requests.forget(tx.wtxid);
    this.orphans.remove(tx);
    this.onAccepted(tx);
    for (const orphan of this.orphans.childrenOf(tx.txid)) this.#ready.add(orphan);
  }

  #keepOrphan(peer: Peer, tx: TxView): void {
    const { context } = this;
    const parents = new Map<string, Uint8Array>();
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = tx.prevHash(i);
      if (this.#rejects.has(parent)) {
        context.log.debug('mempool', `not keeping orphan with rejected parents ${hashToHex(tx.txid)}`);
        // Both: a child of a refused parent stays refused whatever its witness.
        this.#rejects.add(tx.txid);
        this.#rejects.add(tx.wtxid);
        this.requests.forget(tx.txid);
        this.requests.forget(tx.wtxid);
        return;
      }
      parents.set(hashKey(parent), parent);
    }
    for (const parent of parents.values()) if (!this.isKnown(parent, false)) this.announced(peer, parent, false);
    if (this.orphans.add(tx, peer, context.clock.nowSeconds())) {
      this.onUnused(tx);
      context.log.debug('mempool', `stored orphan tx ${hashToHex(tx.txid)} (mapsz ${this.orphans.size})`);
    }
    const evicted = this.orphans.limit(context.clock.nowSeconds());
    if (evicted > 0) context.log.debug('mempool', `mapOrphan overflow, removed ${evicted} tx`);
    this.requests.forget(tx.txid);
    this.requests.forget(tx.wtxid);
  }

  #refused(peer: Peer, tx: TxView, reject: Reject): void {
    const { context } = this;
    const stripped = reject.category === 'witness-stripped';
    if (!stripped) {
      // By wtxid: somebody may have spoilt the witness of a good transaction.
      this.#rejects.add(tx.wtxid);
      this.requests.forget(tx.wtxid);
      // What is wrong with the coins it spends is wrong with any witness.
      if (reject.category === 'inputs-not-standard' && tx.hasWitness) {
        this.#rejects.add(tx.txid);
        this.requests.forget(tx.txid);
      }
      this.onUnused(tx);
    }
    context.log.debug('mempoolrej', `${hashToHex(tx.txid)} from peer=${peer.id} was not accepted: ${reject.reason}`);
    punishForTx(context, peer, reject);
  }

  /** Tries orphans whose parents came, a few at a time. */
  async #workOrphans(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      let done = 0;
      // Those that come to be ready meanwhile are at the end of the same set.
      for (const orphan of this.#ready) {
        if (done > 0 && done % ORPHANS_PER_STEP === 0) await yieldToLoop();
        done++;
        this.#ready.delete(orphan);
        const { tx, peer } = orphan;
        if (!this.orphans.has(tx.wtxid)) continue;
        const { reject } = await this.context.mempool.accept(tx);
        if (reject === null) {
          this.context.log.debug('mempool', `   accepted orphan tx ${hashToHex(tx.txid)}`);
          this.#taken(tx);
        } else if (reject.category !== 'missing-inputs') {
          this.context.log.debug('mempool', `   removed orphan tx ${hashToHex(tx.txid)}: ${reject.reason}`);
          this.orphans.remove(tx);
          this.#refused(peer, tx, reject);
        }
      }
    } finally {
      this.#working = false;
    }
  }
}
