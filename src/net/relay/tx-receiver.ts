// Receives transactions of peers and has them validated, alone or together with an orphan that spends them (Core's handling of
// tx). tx-download.ts decides which are requested, and remembers the results.
import { setTimeout as sleep } from 'node:timers/promises';
import { hashKey, hashToHex } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import { type AcceptResult, isBusy, packageHash } from '../../mempool/index.js';
import { policyReject } from '../../policy/reject.js';
import { MAX_STANDARD_WEIGHT } from '../../policy/standard-tx.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';
import type { Frame } from '../wire/frame.js';
import type { Orphanage } from './orphanage.js';
import { named, type TxDownload } from './tx-download.js';

/** Milliseconds until a busy verifier is asked again, and most tries (a minute). */
const BUSY_WAIT_MS = 100;
const MOST_TRIES = 600;
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
  /** Messages that were parsed early, in order. */
  readonly #prefetched = new Map<Peer, PrefetchedTx[]>();
  #working = false;
  /** Peer whose orphan is being validated. */
  #workingFor: Peer | null = null;
  /** Resolved when a peer's orphans have been validated. */
  readonly #settled = new Map<Peer, { readonly promise: Promise<void>; readonly resolve: () => void }>();
  readonly #context: NetContext;
  readonly #download: TxDownload;
  readonly #orphans: Orphanage;

  constructor(context: NetContext, download: TxDownload) {
    this.#context = context;
    this.#download = download;
    this.#orphans = download.orphans;
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
        if (!this.#download.isHere(tx.wtxid, true) && !this.#download.isReconsiderable(tx)) txs.push(tx);
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
    if (tooLong && this.#download.requests.countInFlight(peer) === 0) {
      noteTooLarge();
      return;
    }
    const tx = this.#takePrefetched(peer, payload) ?? this.#parse(payload);
    context.events.emit('txReceived', peer, tx);
    if (this.#download.requests.byTxid > 0 && tx.hasWitness) this.#download.requests.noteAnswered(peer, tx.txid);
    // If the peer announced this wtxid, the announcement was recorded as knowledge of the peer at that time.
    if (!this.#download.requests.noteAnswered(peer, tx.wtxid)) context.events.emit('txKnown', peer, tx);
    if (tooLong && tx.weight > MAX_STANDARD_WEIGHT) {
      noteTooLarge();
      this.#download.rejectTooLarge(tx);
      return;
    }
    const reconsidered = this.#download.isReconsiderable(tx);
    if (this.#download.isHere(tx.wtxid, true) || reconsidered) {
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
      this.#download.accepted(peer, tx);
      peer.lastTxTime = this.#context.clock.nowSeconds();
      if (this.#orphansWait) void this.workOrphans();
      return;
    }
    this.#download.rejected(peer, tx, reject, true);
    return this.#download.isCurable(reject) ? this.#tryWithChild(peer, tx) : undefined;
  }

  #forceRelay(peer: Peer, tx: TxView): void {
    const { log, mempool, options } = this.#context;
    const name = options.legacyPeers ? hashToHex(tx.txid) : `${hashToHex(tx.txid)} (wtxid=${hashToHex(tx.wtxid)})`;
    if (mempool.has(tx.txid)) {
      log.info(`Force relaying tx ${name} from peer=${peer.id}`);
      this.#context.events.emit('txAccepted', tx);
    } else log.info(`Not relaying non-mempool transaction ${name} from forcerelay peer=${peer.id}`);
  }

  /** Validates a transaction that pays too little together with an orphan of the same peer that spends it. */
  async #tryWithChild(peer: Peer, parent: TxView): Promise<void> {
    const { mempool, log, crypto } = this.#context;
    const pairHash = (child: TxView): Uint8Array => packageHash([parent, child], crypto);
    const child = this.#download.childFor(peer, parent, pairHash);
    if (child === undefined) return;
    const { fault, results, slimmerMayPay } = await mempool.acceptPackage([parent, child]);
    const verdict = fault === null ? 'package accepted' : 'package rejected';
    log.debug('mempool', `package evaluation for parent ${named(parent)} + child ${named(child)} from peer=${peer.id}: ${verdict}`);
    if (fault !== null) this.#download.rejectPair(pairHash(child));
    // Report the child's result first. Otherwise the report of the parent would mark the child for another validation.
    // If the package might be accepted with a parent that has a smaller witness, keep the child as an orphan: any peer
    // can send a copy of the parent with a larger witness.
    for (const tx of [child, parent]) {
      const result = results.get(hashKey(tx.wtxid));
      if (result === undefined || (tx === child && slimmerMayPay)) continue;
      if (result.kind === 'valid' || result.kind === 'known') this.#download.accepted(peer, tx);
      else this.#download.rejected(peer, tx, result.kind === 'invalid' ? result.reject : OTHER_WITNESS, false);
    }
    void this.workOrphans();
  }

  /** Removes all state of a disconnected peer. */
  forgetPeer(peer: Peer): void {
    this.#prefetched.delete(peer);
    this.#resolveSettled(peer);
  }

  /** Resolves when no orphan of a peer is waiting for validation; undefined if none is. Never rejects. */
  settled(peer: Peer): Promise<void> | undefined {
    if (this.#workingFor !== peer && !this.#orphans.hasReady(peer)) return undefined;
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
    return this.#orphans.size > 0 || this.#settled.size > 0;
  }

  /** Validates orphans whose parents arrived, one of each peer at a time. Never rejects. */
  async workOrphans(): Promise<void> {
    if (this.#working || !this.#orphansWait) return;
    this.#working = true;
    let done = 0;
    for (let peers = [...this.#orphans.readyPeers()]; peers.length > 0; peers = [...this.#orphans.readyPeers()]) {
      for (const peer of peers) {
        const tx = this.#orphans.takeReady(peer);
        if (tx !== undefined) {
          this.#workingFor = peer;
          if (++done % ORPHANS_PER_STEP === 0) await yieldToLoop();
          await this.#retry(peer, tx);
          this.#workingFor = null;
        }
        if (!this.#orphans.hasReady(peer)) this.#resolveSettled(peer);
      }
    }
    this.#working = false;
    for (const peer of [...this.#settled.keys()]) this.#resolveSettled(peer);
  }

  /** Validates an orphan again. Never rejects, because messages of the peer wait for this. */
  async #retry(peer: Peer, tx: TxView): Promise<void> {
    try {
      const { reject } = await this.#whenFree(peer, tx, Promise.resolve(this.#context.mempool.accept(tx)));
      if (reject === null) this.#download.accepted(peer, tx);
      else this.#download.rejected(peer, tx, reject, false);
    } catch (error) {
      // For example, the verifier is busy or failed.
      this.#noVerdict(tx, error);
      this.#orphans.remove(tx.wtxid);
    }
  }
}

const OTHER_WITNESS = policyReject('conflict', 'txn-same-nonwitness-data-in-mempool');
