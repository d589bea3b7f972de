// Transactions of peers: which are requested, how received ones are validated, and how orphans are handled (Core's
// handling of inv, tx and notfound).

import { setTimeout as sleep } from 'node:timers/promises';
import { hashKey, hashToHex } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { type Reject, rejectText } from '../../consensus/state.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import { type AcceptResult, isBusy } from '../../mempool/accept/acceptor.js';
import { packageHash } from '../../mempool/package/package-shape.js';
import { policyReject } from '../../policy/reject.js';
import { MAX_STANDARD_WEIGHT } from '../../policy/standard-tx.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { punishForTx } from '../sync/blame.js';
import type { Frame } from '../wire/frame.js';
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
/** Milliseconds until a busy verifier is asked again, and most tries (a minute). */
const BUSY_WAIT_MS = 100;
const MOST_TRIES = 600;
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
/** Largest transaction in bytes whose scripts are run early. All early transactions of a peer together take some milliseconds. */
const MAX_PREFETCHED_BYTES = 2_000;
/** Orphans that are validated in one step, so that a peer's message cannot cause long work. */
const ORPHANS_PER_STEP = 10;

/** A tx message and its transaction. */
interface PrefetchedTx {
  readonly payload: Uint8Array;
  readonly tx: TxView;
}

export class TxReceiver {
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
  /** Messages that were parsed early, in order. */
  readonly #prefetched = new Map<Peer, PrefetchedTx[]>();
  /** Blocks whose transactions are not in the filter of confirmed ones yet. */
  #unnoted: (readonly TxView[])[] = [];
  #noting: NodeJS.Timeout | null = null;
  #working = false;
  /** Peer whose orphan is being validated. */
  #workingFor: Peer | null = null;
  /** Resolved when a peer's orphans have been validated. */
  readonly #settled = new Map<Peer, { readonly promise: Promise<void>; readonly resolve: () => void }>();
  readonly #context: NetContext;
  /** Ready peers that announce by wtxid (BIP-0339). */
  readonly #wtxidPeers = new Set<Peer>();

  constructor(context: NetContext) {
    this.#context = context;
    this.orphans = new Orphanage({ score: context.options.orphanScore, weightPerPeer: ORPHAN_WEIGHT_PER_PEER }, context.random);
  }

  /** Called when a peer completed the handshake. */
  addPeer(peer: Peer): void {
    if (peer.relaysByWtxid) this.#wtxidPeers.add(peer);
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
    if (woken) void this.#workOrphans();
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
    const missing = parentsOf(orphan).filter((parent) => !this.#isHere(parent, false));
    for (const peer of able) {
      // Peers before this one may have used up the common limit.
      if (!mayAnnounce(peer, missing.length)) continue;
      for (const parent of missing) this.#announce(peer, parent, false);
      onPeer(peer);
    }
  }

  /** Returns whether a request for the transaction alone is useless, because it is known or would be rejected again. */
  isKnown(hash: Uint8Array, byWtxid: boolean): boolean {
    return this.#isHere(hash, byWtxid) || this.#reconsiderable.has(hash);
  }

  /** Like isKnown, but false for a transaction that may be wanted for its child although it pays too little. */
  #isHere(hash: Uint8Array, byWtxid: boolean): boolean {
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
      if (this.#isHere(hash, byWtxid)) {
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
  notFound(peer: Peer, hash: Uint8Array): void {
    this.requests.notFound(peer, hash);
  }

  /** Starts to verify the scripts of messages that are handled next, in this order. */
  prefetch(peer: Peer, frames: readonly Frame[]): void {
    const { options, mempool } = this.#context;
    if ((options.blocksOnly && !peer.permissions.relay) || !peer.relaysTransactions) return;
    const txs: TxView[] = [];
    let prefetched = this.#prefetched.get(peer);
    if (prefetched === undefined) this.#prefetched.set(peer, (prefetched = []));
    for (const { payload, hash } of frames) {
      if (payload.length > MAX_PREFETCHED_BYTES) continue;
      try {
        const tx = this.#parse(payload);
        if (hash !== null && tx.totalSize === payload.length) tx.adoptHash(hash);
        prefetched.push({ payload, tx });
        if (!this.#isHere(tx.wtxid, true) && !this.#reconsiderable.has(tx.wtxid)) txs.push(tx);
      } catch (error) {
        // The error is handled when the message is.
        if (!(error instanceof DecodeError)) throw error;
      }
    }
    // A store that fails here fails again when the transaction is handled, and is reported there.
    if (txs.length > 0) mempool.prefetchTransactions(txs).catch(() => {});
  }

  /** @throws DecodeError */
  #parse(payload: Uint8Array): TxView {
    const { crypto } = this.#context;
    const tx = parseTx(payload, crypto);
    // Ignore bytes after the transaction. Parse a copy without them, so that they are not stored.
    return tx.totalSize === payload.length ? tx : parseTx(payload.slice(0, tx.totalSize), crypto);
  }

  /** Returns the transaction of this message if it was parsed early. Drops the transactions of earlier messages. */
  #takePrefetched(peer: Peer, payload: Uint8Array): TxView | undefined {
    const prefetched = this.#prefetched.get(peer);
    if (prefetched === undefined) return undefined;
    const at = prefetched.findIndex((one) => one.payload === payload);
    for (let i = 0; i < at; i++) prefetched.shift();
    return at < 0 ? undefined : prefetched.shift()?.tx;
  }

  /** Handles tx. @throws DecodeError */
  receiveTx(peer: Peer, payload: Uint8Array): void | Promise<void> {
    const context = this.#context;
    const { log, mempool } = context;
    if ((context.options.blocksOnly && !peer.permissions.relay) || !peer.relaysTransactions) {
      log.debug('net', `transaction sent in violation of protocol peer=${peer.id}`);
      context.disconnect(peer, 'transaction sent in violation of protocol');
      return;
    }
    // The weight is not less than the length, so the transaction is not standard. Parse it only if it may answer a
    // request, which ends then.
    const tooLong = payload.length > MAX_STANDARD_WEIGHT && mempool.options.policy.requireStandard;
    const noteTooLarge = (): void =>
      log.debug('mempoolrej', `a transaction of ${payload.length} bytes from peer=${peer.id} was not accepted: tx-size`);
    if (tooLong && this.requests.countInFlight(peer) === 0) {
      noteTooLarge();
      return;
    }
    const tx = this.#takePrefetched(peer, payload) ?? this.#parse(payload);
    context.events.emit('txReceived', peer, tx);
    if (this.requests.byTxid > 0 && tx.hasWitness) this.requests.noteAnswered(peer, tx.txid);
    // If the peer announced this wtxid, the announcement was recorded as knowledge of the peer at that time.
    if (!this.requests.noteAnswered(peer, tx.wtxid)) context.events.emit('txKnown', peer, tx);
    if (tooLong && tx.weight > MAX_STANDARD_WEIGHT) {
      noteTooLarge();
      // Remember the rejection, so that no other peer is asked for the transaction.
      this.#rejects.add(tx.wtxid);
      this.requests.forgetTx(tx.wtxid);
      return;
    }
    const reconsidered = this.#reconsiderable.has(tx.wtxid);
    if (this.#isHere(tx.wtxid, true) || reconsidered) {
      if (peer.permissions.forcerelay) this.#forceRelay(peer, tx);
      // Alone, the transaction would be rejected for its fee again, so try it with a child.
      return reconsidered ? this.#unlessBusy(tx, this.#tryWithChild(peer, tx)) : undefined;
    }
    const accepted = mempool.accept(tx);
    const judged =
      accepted instanceof Promise
        ? this.#whenFree(peer, tx, accepted).then((late) => this.#judged(peer, tx, late))
        : this.#judged(peer, tx, accepted);
    return judged && this.#unlessBusy(tx, judged);
  }

  /**
   * Retries while the verifier is busy, because no other peer can be asked for the transaction any more. Later messages
   * of the peer wait until then.
   */
  async #whenFree(peer: Peer, tx: TxView, first: Promise<AcceptResult>): Promise<AcceptResult> {
    let verdict = first;
    for (let tries = 1; ; tries++) {
      try {
        return await verdict;
      } catch (error) {
        if (!isBusy(error) || tries === MOST_TRIES || peer.leaving) throw error;
      }
      await sleep(BUSY_WAIT_MS);
      verdict = Promise.resolve(this.#context.mempool.accept(tx));
    }
  }

  /** Handles a busy verifier, which is not the peer's fault. */
  async #unlessBusy(tx: TxView, judged: Promise<void>): Promise<void> {
    try {
      await judged;
    } catch (error) {
      if (!isBusy(error)) throw error;
      this.#noVerdict(tx, error);
    }
  }

  /** Logs that a transaction was not validated. It may be announced again. */
  #noVerdict(tx: TxView, error: unknown): void {
    this.#context.log.debug('mempool', `no verdict on ${named(tx)}: ${(error as Error).message}`);
  }

  #judged(peer: Peer, tx: TxView, { reject }: AcceptResult): void | Promise<void> {
    if (reject === null) {
      this.#accepted(peer, tx);
      peer.lastTxTime = this.#context.clock.nowSeconds();
      if (this.#orphansWait) void this.#workOrphans();
      return;
    }
    this.#rejected(peer, tx, reject, true);
    return this.#isCurable(reject) ? this.#tryWithChild(peer, tx) : undefined;
  }

  /** Drops all requests for a transaction. */
  #forgetRequests(tx: TxView): void {
    if (this.requests.byTxid > 0 && tx.hasWitness) this.requests.forgetTx(tx.txid);
    this.requests.forgetTx(tx.wtxid);
  }

  #forceRelay(peer: Peer, tx: TxView): void {
    const { log, mempool, options } = this.#context;
    const name = options.legacyPeers ? hashToHex(tx.txid) : `${hashToHex(tx.txid)} (wtxid=${hashToHex(tx.wtxid)})`;
    if (mempool.has(tx.txid)) {
      log.info(`Force relaying tx ${name} from peer=${peer.id}`);
      this.#context.events.emit('txAccepted', tx);
    } else log.info(`Not relaying non-mempool transaction ${name} from forcerelay peer=${peer.id}`);
  }

  /** Returns whether a child may pay for a rejected transaction. */
  #isCurable({ category }: Reject): boolean {
    return category === 'reconsiderable' && this.#context.mempool.options.policy.packages;
  }

  /**
   * Validates a transaction that pays too little together with a child: the newest one of the same peer that was not
   * tried with it (Core's Find1P1CPackage). Children of other peers are skipped, otherwise any peer could have its own
   * tried first.
   */
  async #tryWithChild(peer: Peer, parent: TxView): Promise<void> {
    const { mempool, log, crypto } = this.#context;
    for (const child of this.orphans.childrenOf(parent, peer)) {
      const pair = packageHash([parent, child], crypto);
      if (this.#reconsiderable.has(pair) || this.#rejects.has(child.txid)) continue;
      const { fault, results, slimmerMayPay } = await mempool.acceptPackage([parent, child]);
      const verdict = fault === null ? 'package accepted' : 'package rejected';
      log.debug('mempool', `package evaluation for parent ${named(parent)} + child ${named(child)} from peer=${peer.id}: ${verdict}`);
      if (fault !== null) this.#reconsiderable.add(pair);
      // The child first, so that the parent does not mark it for another validation. If a parent with a smaller witness
      // might pay, the child stays an orphan: any peer can create a larger copy of the parent.
      for (const tx of [child, parent]) {
        const result = results.get(hashKey(tx.wtxid));
        if (result === undefined || (tx === child && slimmerMayPay)) continue;
        if (result.kind === 'valid' || result.kind === 'known') this.#accepted(peer, tx);
        else this.#rejected(peer, tx, result.kind === 'invalid' ? result.reject : OTHER_WITNESS, false);
      }
      void this.#workOrphans();
      return;
    }
  }

  /** Removes all state of a disconnected peer. */
  forgetPeer(peer: Peer): void {
    this.#wtxidPeers.delete(peer);
    this.requests.forgetPeer(peer);
    this.#prefetched.delete(peer);
    const erased = this.orphans.forgetPeer(peer);
    if (erased > 0) this.#context.log.debug('mempool', `Erased ${erased} orphan tx from peer=${peer.id}`);
    this.#resolveSettled(peer);
  }

  /** Handles acceptance into the mempool. */
  #accepted(peer: Peer, tx: TxView): void {
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
   * Handles a rejection. @param first whether the transaction came by itself; then it may become an orphan, and compact
   * blocks may contain it
   */
  #rejected(peer: Peer, tx: TxView, reject: Reject, first: boolean): void {
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
      (this.#isCurable(reject) ? this.#reconsiderable : this.#rejects).add(tx.wtxid);
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
   * Returns whether validating an orphan together with one parent cannot help: a parent was rejected for good, or two
   * parents were rejected for their fees.
   */
  #isHopeless(tx: TxView): boolean {
    let poor = 0;
    for (const parent of parentsOf(tx)) {
      if (this.#rejects.has(parent)) return true;
      if (this.#reconsiderable.has(parent) && !this.#context.mempool.has(parent) && ++poor > 1) return true;
    }
    return false;
  }

  /** Resolves when no orphan of a peer is waiting for validation; undefined if none is. Never rejects. */
  settled(peer: Peer): Promise<void> | undefined {
    if (this.#workingFor !== peer && !this.orphans.hasReady(peer)) return undefined;
    let waiting = this.#settled.get(peer);
    if (waiting === undefined) {
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#settled.set(peer, (waiting = { promise, resolve }));
    }
    return waiting.promise;
  }

  #resolveSettled(peer: Peer): void {
    this.#settled.get(peer)?.resolve();
    this.#settled.delete(peer);
  }

  get #orphansWait(): boolean {
    return this.orphans.size > 0 || this.#settled.size > 0;
  }

  /** Validates orphans whose parents arrived, one of each peer at a time. Never rejects. */
  async #workOrphans(): Promise<void> {
    if (this.#working || !this.#orphansWait) return;
    this.#working = true;
    let done = 0;
    for (let peers = [...this.orphans.readyPeers()]; peers.length > 0; peers = [...this.orphans.readyPeers()]) {
      for (const peer of peers) {
        const tx = this.orphans.takeReady(peer);
        if (tx !== undefined) {
          this.#workingFor = peer;
          if (++done % ORPHANS_PER_STEP === 0) await yieldToLoop();
          await this.#retry(peer, tx);
          this.#workingFor = null;
        }
        if (!this.orphans.hasReady(peer)) this.#resolveSettled(peer);
      }
    }
    this.#working = false;
    for (const peer of [...this.#settled.keys()]) this.#resolveSettled(peer);
  }

  /** Validates an orphan again. Never rejects, because messages of the peer wait for this. */
  async #retry(peer: Peer, tx: TxView): Promise<void> {
    try {
      const { reject } = await this.#whenFree(peer, tx, Promise.resolve(this.#context.mempool.accept(tx)));
      if (reject === null) this.#accepted(peer, tx);
      else this.#rejected(peer, tx, reject, false);
    } catch (error) {
      // For example, the verifier is busy or failed.
      this.#noVerdict(tx, error);
      this.orphans.remove(tx.wtxid);
    }
  }
}

const OTHER_WITNESS = policyReject('conflict', 'txn-same-nonwitness-data-in-mempool');

/** Returns the txids that a transaction spends from, each once. */
function parentsOf(tx: TxView): Uint8Array[] {
  const parents = new Map<string, Uint8Array>();
  for (let i = 0; i < tx.inputCount; i++) {
    const parent = tx.prevHash(i);
    parents.set(hashKey(parent), parent);
  }
  return [...parents.values()];
}

const named = (tx: TxView): string => `${hashToHex(tx.txid)} (wtxid=${hashToHex(tx.wtxid)})`;
