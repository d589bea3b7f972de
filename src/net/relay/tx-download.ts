// Transactions of peers between their announcement and their result (Core's TxDownloadManager): which ones are requested and
// from whom, which were rejected or confirmed lately, and which are orphans that wait for their parents.

import { hashKey, hashToHex } from '../../consensus/bytes/hex.js';
import type { TxHash } from '../../consensus/ids.js';
import { type Reject, rejectText } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { punishForTx } from '../sync/blame.js';
import { encodeInv, type InvItem } from '../wire/messages.js';
import { INV, SERVICE } from '../wire/protocol.js';
import { Orphanage } from './orphanage.js';
import { RollingBloom } from './rolling-bloom.js';
import { TxRequests } from './tx-requests.js';

/** Delays of requests: for inbound peers, for txids while other peers announce wtxids, and for peers with many unanswered requests. */
const NONPREF_PEER_TX_DELAY_MS = 2_000;
const TXID_RELAY_DELAY_MS = 2_000;
const OVERLOADED_PEER_TX_DELAY_MS = 2_000;
const MAX_PEER_TX_REQUEST_IN_FLIGHT = 100;
/** Time after which another peer is asked. */
const GETDATA_TX_INTERVAL_MS = 60_000;
/** Maximum number of entries of one getdata. */
const MAX_GETDATA_SIZE = 1_000;
/** Number of hashes of rejected and of recently confirmed transactions that are remembered. */
const REJECTS = 120_000;
const CONFIRMED = 48_000;
const FALSE_HITS = 0.000001;
/**
 * Delay before a block's transactions are added to the filter of confirmed ones, so that the full template is out
 * first. An announcement of a peer ends the delay.
 */
const NOTING_DELAY_MS = 300;
/** Weight of orphans for each peer that brings any: a standard child and its parent. */
const ORPHAN_WEIGHT_PER_PEER = 404_000;

export class TxDownload {
  readonly orphans: Orphanage;
  readonly requests = new TxRequests();
  /** Wtxids (and txids, if the witness does not matter) that were rejected; cleared at each tip change. */
  readonly #rejects = new RollingBloom(REJECTS, FALSE_HITS);
  readonly #confirmed = new RollingBloom(CONFIRMED, FALSE_HITS);
  /**
   * Wtxids of transactions that were rejected for their fees alone, and hashes of pairs of parent and child that were.
   * Cleared at each tip change. Such a transaction is requested again only as the parent of an orphan.
   */
  readonly #reconsiderable = new RollingBloom(REJECTS, FALSE_HITS);
  /** Blocks whose transactions are not in the filter of confirmed ones yet. */
  #unnoted: (readonly TxView[])[] = [];
  #noting: NodeJS.Timeout | null = null;
  /** Ready peers that announce by wtxid (BIP-0339). */
  readonly #wtxidPeers = new Set<Peer>();
  readonly #context: NetContext;

  constructor(context: NetContext) {
    this.#context = context;
    this.orphans = new Orphanage({ score: context.options.orphanScore, weightPerPeer: ORPHAN_WEIGHT_PER_PEER }, context.random);
  }

  /** Called when a peer completed the handshake. */
  addPeer(peer: Peer): void {
    if (peer.relaysByWtxid) this.#wtxidPeers.add(peer);
  }

  /** Removes all state of a disconnected peer. */
  forgetPeer(peer: Peer): void {
    this.#wtxidPeers.delete(peer);
    this.requests.forgetPeer(peer);
    const erased = this.orphans.forgetPeer(peer);
    if (erased > 0) this.#context.log.debug('mempool', `Erased ${erased} orphan tx from peer=${peer.id}`);
  }

  /** Called after a tip change. Rejected transactions may be valid now. */
  onTip(connected: readonly { readonly txs: readonly TxView[] }[], disconnected: boolean): void {
    this.#rejects.reset();
    this.#reconsiderable.reset();
    if (disconnected) {
      this.#unnoted = [];
      this.#confirmed.reset();
    }
    // During the initial block download no transactions are requested.
    if (this.#context.chain.isInitialBlockDownload()) return;
    for (const { txs } of connected) this.#unnoted.push(txs);
    if (this.#unnoted.length === 0 || this.#noting !== null) return;
    this.#noting = setTimeout(() => this.settleBlocks(), NOTING_DELAY_MS);
    this.#noting.unref();
  }

  /**
   * Adds the transactions of recent blocks to the filter of confirmed ones, and drops orphans that the blocks confirm.
   * Called before each lookup of a transaction in this class.
   */
  settleBlocks(): void {
    if (this.#noting === null) return;
    clearTimeout(this.#noting);
    this.#noting = null;
    const blocks = this.#unnoted;
    this.#unnoted = [];
    let woken = false;
    for (const txs of blocks) {
      const erased = this.orphans.onBlock(txs);
      if (erased > 0) this.#context.log.debug('mempool', `Erased ${erased} orphan transaction(s) included or conflicted by block`);
      for (const tx of txs) {
        if (this.orphans.markChildrenReady(tx)) woken = true;
        this.#confirmed.add(tx.txid);
        if (tx.hasWitness) this.#confirmed.add(tx.wtxid);
        this.#forgetRequests(tx);
      }
    }
    if (woken) this.#context.events.emit('orphansReady');
  }

  /**
   * Handles an inv entry of a transaction. An orphan is not requested again; the peer may have its parents.
   * @returns whether there is nothing to request
   */
  noteAnnounced(peer: Peer, hash: Uint8Array, byWtxid: boolean): boolean {
    const orphan = byWtxid ? this.orphans.get(hash) : undefined;
    if (orphan !== undefined) {
      this.#resolveWith([peer], orphan, () => this.orphans.addAnnouncer(hash, peer));
      return true;
    }
    if (this.isKnown(hash, byWtxid)) return true;
    if (!peer.permissions.relay && this.requests.isFull(peer)) return false;
    this.#announce(peer, hash, byWtxid);
    return false;
  }

  #announce(peer: Peer, hash: Uint8Array, byWtxid: boolean): void {
    const { permissions } = peer;
    const preferred = !peer.inbound || permissions.noban;
    let delay = preferred ? 0 : NONPREF_PEER_TX_DELAY_MS;
    if (!byWtxid && this.#wtxidPeers.size > 0) delay += TXID_RELAY_DELAY_MS;
    const overloaded = !permissions.relay && this.requests.countInFlight(peer) >= MAX_PEER_TX_REQUEST_IN_FLIGHT;
    if (overloaded) delay += OVERLOADED_PEER_TX_DELAY_MS;
    this.requests.noteAnnounced(peer, hash, byWtxid, preferred, this.#context.clock.nowMs() + delay);
  }

  /**
   * Treats peers as announcers of an orphan's missing parents, unless a peer has too many announcements.
   * @param onPeer called for each peer that becomes an announcer
   */
  #resolveWith(peers: readonly Peer[], orphan: TxView, onPeer: (peer: Peer) => void): void {
    const mayAnnounce = (peer: Peer, parents: number): boolean => peer.permissions.relay || !this.requests.isFull(peer, parents);
    // Check the limit with the number of inputs before parents are looked up: there may be thousands, and a rejection must be cheap.
    const able = peers.filter((peer) => mayAnnounce(peer, orphan.inputCount) && !this.orphans.hasFrom(orphan.wtxid, peer));
    if (able.length === 0) return;
    const missing = parentsOf(orphan).filter((parent) => !this.isHere(parent, false));
    for (const peer of able) {
      // Peers before this one may have used up the common limit.
      if (!mayAnnounce(peer, missing.length)) continue;
      for (const parent of missing) this.#announce(peer, parent, false);
      onPeer(peer);
    }
  }

  /** Returns whether a request for the transaction alone is useless, because it is known or would be rejected again. */
  isKnown(hash: Uint8Array, byWtxid: boolean): boolean {
    return this.isHere(hash, byWtxid) || this.#reconsiderable.has(hash);
  }

  /** Like isKnown, but false for a transaction that may be wanted for its child although it pays too little. */
  isHere(hash: Uint8Array, byWtxid: boolean): boolean {
    this.settleBlocks();
    // A txid only matches an orphan without a witness: another copy may be the valid one.
    if (this.orphans.has(hash)) return true;
    if (this.#confirmed.has(hash) || this.#rejects.has(hash)) return true;
    const { mempool, wtxids } = this.#context;
    return byWtxid ? wtxids.has(hash) : mempool.has(hash);
  }

  /** Sends the requests that are due. */
  send(peer: Peer): void {
    const now = this.#context.clock.nowMs();
    let items: InvItem[] = [];
    const logs = this.#context.log.shows('net');
    const witnesses = (this.#context.options.services & SERVICE.WITNESS) !== 0n;
    for (const { hash, byWtxid } of this.requests.takeDue(peer, now)) {
      if (this.isHere(hash, byWtxid)) {
        this.requests.forgetTx(hash);
        continue;
      }
      if (logs) this.#context.log.debug('net', `Requesting ${byWtxid ? 'wtx' : 'tx'} ${hashToHex(hash)} peer=${peer.id}`);
      items.push({ type: byWtxid ? INV.WTX : peer.hasWitness && witnesses ? INV.WITNESS_TX : INV.TX, hash });
      this.requests.noteRequested(peer, hash, now + GETDATA_TX_INTERVAL_MS);
      if (items.length < MAX_GETDATA_SIZE) continue;
      peer.send('getdata', encodeInv(items));
      items = [];
    }
    if (items.length > 0) peer.send('getdata', encodeInv(items));
  }

  /** Handles an entry of notfound. */
  notFound(peer: Peer, hash: TxHash): void {
    this.requests.notFound(peer, hash);
  }

  /** Drops all requests for a transaction. */
  #forgetRequests(tx: TxView): void {
    if (this.requests.byTxid > 0 && tx.hasWitness) this.requests.forgetTx(tx.txid);
    this.requests.forgetTx(tx.wtxid);
  }

  /** Returns whether a child may pay for a rejected transaction. */
  isCurable({ category }: Reject): boolean {
    return category === 'reconsiderable' && this.#context.mempool.options.policy.packages;
  }

  /** Remembers that a transaction is too large, so that no other peer is asked for it. */
  rejectTooLarge({ wtxid }: TxView): void {
    this.#rejects.add(wtxid);
    this.requests.forgetTx(wtxid);
  }

  /** Returns whether a transaction was rejected for its fees alone. */
  isReconsiderable({ wtxid }: TxView): boolean {
    return this.#reconsiderable.has(wtxid);
  }

  /**
   * Returns the newest orphan of a peer that spends a parent and was not tried with it (part of Core's Find1P1CPackage). Children
   * of other peers are skipped, otherwise any peer could have its own tried first.
   * @param pairHash hashes parent and child
   */
  childFor(peer: Peer, parent: TxView, pairHash: (child: TxView) => Uint8Array): TxView | undefined {
    return this.orphans
      .childrenOf(parent, peer)
      .find((child) => !this.#reconsiderable.has(pairHash(child)) && !this.#rejects.has(child.txid));
  }

  /** Remembers a pair of parent and child that was rejected. */
  rejectPair(hash: Uint8Array): void {
    this.#reconsiderable.add(hash);
  }

  /** Handles acceptance into the mempool. */
  accepted(peer: Peer, tx: TxView): void {
    const { log, mempool } = this.#context;
    this.#forgetRequests(tx);
    this.orphans.markChildrenReady(tx);
    this.orphans.remove(tx.wtxid);
    if (log.shows('mempool')) {
      const { transactions, usageBytes } = mempool.stats();
      const pool = `(poolsz ${transactions} txn, ${Math.floor(usageBytes / 1000)} kB)`;
      log.debug('mempool', `AcceptToMemoryPool: peer=${peer.id}: accepted ${hashToHex(tx.txid)} ${pool}`);
    }
    this.#context.events.emit('txAccepted', tx);
  }

  /**
   * Handles a rejection.
   * @param first whether the transaction came by itself; then it may become an orphan, and compact blocks may contain
   * it
   */
  rejected(peer: Peer, tx: TxView, reject: Reject, first: boolean): void {
    const context = this.#context;
    const name = context.mempool.options.policy.detailed ? named(tx) : hashToHex(tx.txid);
    context.log.debug('mempoolrej', `${name} from peer=${peer.id} was not accepted: ${rejectText(reject)}`);
    if (reject.category === 'missing-inputs') {
      // Store no orphan for a peer that has disconnected during the validation.
      if (first && !peer.leaving) this.#handleOrphan(peer, tx);
      return;
    }
    // Remember no rejection of a transaction that is in the mempool already, or of a copy without its witness: children
    // refer to the same txid.
    if (reject.category === 'conflict' && !tx.hasWitness) this.requests.forgetTx(tx.wtxid);
    else if (reject.category !== 'witness-stripped') {
      // By wtxid, because a peer may have mutated the witness of a valid transaction.
      (this.isCurable(reject) ? this.#reconsiderable : this.#rejects).add(tx.wtxid);
      this.requests.forgetTx(tx.wtxid);
      // The spent coins are not standard, whatever the witness.
      if (reject.category === 'inputs-not-standard' && tx.hasWitness) {
        this.#rejects.add(tx.txid);
        this.requests.forgetTx(tx.txid);
      }
      if (first) context.events.emit('txUnused', tx);
    }
    if (this.orphans.remove(tx.wtxid)) context.log.debug('mempool', `   removed orphan tx ${hashToHex(tx.txid)}: ${reject.reason}`);
    punishForTx(context, peer, reject);
  }

  #handleOrphan(peer: Peer, tx: TxView): void {
    const context = this.#context;
    if (this.#isHopeless(tx)) {
      context.log.debug('mempool', `not keeping orphan with rejected parents ${hashToHex(tx.txid)}`);
      // Both ids: a child of a rejected parent stays rejected, whatever its witness.
      this.#rejects.add(tx.txid);
      this.#rejects.add(tx.wtxid);
    } else {
      if (!this.orphans.has(tx.wtxid)) context.events.emit('txUnused', tx);
      // Peers that were to be asked for the orphan may have its parents, too.
      const others = [...this.requests.candidates(tx.txid), ...(tx.hasWitness ? this.requests.candidates(tx.wtxid) : [])];
      this.#resolveWith([...new Set([peer, ...others])], tx, (one) => this.#storeOrphan(one, tx));
    }
    this.#forgetRequests(tx);
  }

  #storeOrphan(peer: Peer, tx: TxView): void {
    const { log } = this.#context;
    const before = this.orphans.announcements;
    if (this.orphans.add(tx, peer)) {
      log.debug('mempool', `stored orphan tx ${named(tx)}, weight: ${tx.weight} (mapsz ${this.orphans.announcements})`);
    }
    const evicted = before + 1 - this.orphans.announcements;
    if (evicted > 0) log.debug('mempool', `mapOrphan overflow, removed ${evicted} tx`);
  }

  /**
   * Returns whether validating an orphan together with one parent cannot help: a parent was rejected for more than its
   * fees, or two parents were rejected for their fees.
   */
  #isHopeless(tx: TxView): boolean {
    let poor = 0;
    for (const parent of parentsOf(tx)) {
      if (this.#rejects.has(parent)) return true;
      if (this.#reconsiderable.has(parent) && !this.#context.mempool.has(parent) && ++poor > 1) return true;
    }
    return false;
  }
}

/** Returns the txids that a transaction spends from, each once. */
function parentsOf(tx: TxView): Uint8Array[] {
  const parents = new Map<string, Uint8Array>();
  for (let i = 0; i < tx.inputCount; i++) {
    const parent = tx.prevHash(i);
    parents.set(hashKey(parent), parent);
  }
  return [...parents.values()];
}

export const named = (tx: TxView): string => `${hashToHex(tx.txid)} (wtxid=${hashToHex(tx.wtxid)})`;
