// Announces transactions to peers, slowly and in an order that does not reveal their origin, and sends them on request
// (Core's inventory trickle, mapRelay and feefilter).

import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxHash } from '../../consensus/ids.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { type MempoolEntry, NO_ROW } from '../../mempool/index.js';
import { type NetContext, poissonDelayMs } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { encodeInv, encodeU64, type InvItem } from '../wire/messages.js';
import { FEEFILTER_VERSION, INV, MAX_INV_SIZE } from '../wire/protocol.js';
import { RelayLog } from './relay-log.js';
import { RollingBloom } from './rolling-bloom.js';

/** Mean time between announcements to an outbound peer. All inbound peers share one timer, so that none learns more than another. */
const OUTBOUND_INTERVAL_MS = 2_000;
const INBOUND_INTERVAL_MS = 5_000;
/** Transactions per announcement: seven per second for inbound peers. */
const BROADCAST_MAX = 7 * 5;
/** Additional transactions per announcement for each thousand that wait, up to the size of one inv. */
const BROADCAST_PER_THOUSAND = 5;
/** Milliseconds of one slice that filters, or a walk through the whole mempool, may take. */
const SLICE_MS = 2;
/** Maximum number of waiting transactions that are sorted for one announcement; the oldest ones are taken. */
const ORDERED = 2_000;
/** Maximum number of log rows that one slice searches for ORDERED transactions, since most may have left the mempool. */
const MAX_CHECKED = 4 * ORDERED;
/** Maximum number of rows of the log, 64 MB. A slow peer does not get older ones. */
const MOST_WAITING = 1_000_000;
/** Maximum number of hashes of one inv. */
const MAX_INV = 1_000;
/** Minimum number of remembered hashes for each peer: those that the peer knows, and those announced to the peer lately. */
const KNOWN = 50_000;
const RECENT = 3_500;
const FALSE_HITS = 0.000001;
/** Time and bytes for which 0.21 keeps announced transactions for requests, even when they have left the mempool. */
const RELAY_MS = 15 * 60_000;
const RELAY_MAX_BYTES = 16 << 20;
/** Any peer may request transactions of this age, which the whole network knows. */
const UNCONDITIONAL_RELAY_SECONDS = 2 * 60;
/** feefilter: mean time between messages, and delay after a large change. */
const FEE_INTERVAL_MS = 10 * 60_000;
const FEE_CHANGE_DELAY_MS = 5 * 60_000;
const MAX_MONEY = 2_100_000_000_000_000;
/**
 * feefilter sends one of a series of fee rates, each 10 % above the one before, so that the exact rate does not
 * identify this node. The highest one is a rate that no transaction pays.
 */
const FEE_STEP = 1.1;
const MAX_FEE_STEP = 10_000_000;
/** Core's default of -minrelaytxfee of release 30 and of 0.21, satoshis per 1,000 virtual bytes. */
const LEAST_FEE = 100;
const LEAST_FEE_OF_21 = 1_000;

interface PeerInventory {
  readonly known: RollingBloom;
  readonly recent: RollingBloom;
  /**
   * Positions in the log of the transactions to announce next, at most ORDERED. Some may have left the mempool, or the
   * peer may know them by now.
   */
  waiting: number[];
  /** Position in the log from which on transactions are not in `waiting` yet. */
  next: number;
  nextSendMs: number;
  /** True if the peer requested the whole mempool. */
  sendMempool: boolean;
  /** Walk through the mempool that answers the peer's request for the whole mempool; null while none runs. */
  walk: Walk | null;
  lastMempoolRequest: number;
  /** Mempool's sequence number at the last announcement to this peer; 1 before the first. */
  lastSequence: number;
  /** Satoshis per 1,000 virtual bytes below which the peer wants no transactions. */
  minFeeRate: number;
  feeSent: number;
  nextFeeMs: number;
}

/** A transaction that is to be announced and is in the mempool, with its sort keys. Valid until the mempool changes. */
interface Waiting {
  /** Position in the log. */
  readonly at: number;
  readonly row: number;
  readonly ancestors: number;
  readonly fee: number;
  readonly size: number;
}

interface Walk {
  /** Next row of the mempool to announce. Transactions that arrive during the walk are announced as new ones. */
  row: number;
  /** Hashes that may still be announced. */
  left: number;
}

interface Relayed {
  readonly bytes: Uint8Array;
  readonly wtxidKey: string;
  readonly expiresMs: number;
}

export class TxAnnouncer {
  readonly #books = new Map<Peer, PeerInventory>();
  readonly #log = new RelayLog(MOST_WAITING);
  /** Announced transactions by txid, oldest first, and their txids by wtxid. */
  readonly #relay = new Map<string, Relayed>();
  readonly #relayTxids = new Map<string, string>();
  #relayBytes = 0;
  #nextInboundMs = 0;
  readonly #context: NetContext;
  readonly #monotonicMs: () => number;
  readonly #steps: readonly number[];

  /** @param monotonicMs milliseconds of a monotonic clock */
  constructor(context: NetContext, monotonicMs: () => number = () => performance.now()) {
    this.#context = context;
    this.#monotonicMs = monotonicMs;
    this.#steps = feeSteps(context.options.legacyPeers ? LEAST_FEE_OF_21 : LEAST_FEE);
  }

  /** Adds a peer after the handshake. */
  addPeer(peer: Peer): void {
    if (!peer.relaysTransactions) return;
    this.#books.set(peer, {
      known: new RollingBloom(KNOWN, FALSE_HITS),
      recent: new RollingBloom(RECENT, FALSE_HITS),
      waiting: [],
      next: this.#log.end,
      nextSendMs: 0,
      sendMempool: false,
      lastSequence: 1,
      walk: null,
      lastMempoolRequest: 0,
      minFeeRate: 0,
      feeSent: 0,
      nextFeeMs: 0,
    });
  }

  forgetPeer(peer: Peer): void {
    this.#books.delete(peer);
  }

  /** Returns the lowest fee rate that the peer accepts, satoshis per 1,000 virtual bytes. */
  minFeeRate(peer: Peer): number {
    return this.#books.get(peer)?.minFeeRate ?? 0;
  }

  /** Returns the number of transactions to be announced to a peer. */
  waitingFor(peer: Peer): number {
    const book = this.#books.get(peer);
    return book === undefined ? 0 : this.#countWaiting(book);
  }

  /** Returns the mempool's sequence number at the last announcement to a peer; 0 for a peer without transaction relay. */
  lastSequence(peer: Peer): number {
    return this.#books.get(peer)?.lastSequence ?? 0;
  }

  /** Queues a mempool transaction for announcement to all peers (Core's RelayTransaction). */
  relayTx(tx: Pick<TxView, 'txid' | 'wtxid'>): void {
    if (this.#books.size === 0) return;
    this.#log.append(tx.txid, tx.wtxid, () => this.#lowestPosition());
  }

  /**
   * Announces transactions again that no peer has requested yet (Core's ReattemptInitialBroadcast). Pauses, because
   * there may be a million.
   */
  async relayUnbroadcast(): Promise<void> {
    const slice = new TimeSlice();
    for (const entry of this.#context.mempool.entries()) {
      if (entry.unbroadcast) this.relayTx(entry);
      if (slice.over) await slice.next();
    }
  }

  /** Returns the lowest position of the log that some peer still needs. */
  #lowestPosition(): number {
    let lowest = this.#log.end;
    for (const { next, waiting } of this.#books.values())
      lowest = waiting.reduce((least, at) => Math.min(least, at), Math.min(lowest, next));
    return lowest;
  }

  #countWaiting(book: PeerInventory): number {
    return book.waiting.length + this.#log.end - Math.max(book.next, this.#log.begin);
  }

  /** Records that a peer sent or announced a transaction. */
  noteKnown(peer: Peer, tx: TxView): void {
    const book = this.#books.get(peer);
    if (book === undefined) return;
    book.known.add(peer.relaysByWtxid ? tx.wtxid : tx.txid);
  }
  noteKnownHash(peer: Peer, hash: TxHash): void {
    this.#books.get(peer)?.known.add(hash);
  }

  /** Handles feefilter. @param rate as received */
  feeFilter(peer: Peer, rate: bigint): void {
    const book = this.#books.get(peer);
    if (book === undefined || rate < 0n || rate > BigInt(MAX_MONEY)) return;
    book.minFeeRate = Number(rate);
    this.#context.log.debug('net', `received: feefilter of ${(Number(rate) / 1e8).toFixed(8)} BTC/kvB from peer=${peer.id}`);
  }

  /** Handles mempool (BIP-0035), after the permission was checked. */
  wholeMempool(peer: Peer): void {
    const book = this.#books.get(peer);
    if (book !== undefined) book.sendMempool = true;
  }

  /** Sends what is due to a peer. */
  send(peer: Peer): void {
    const book = this.#books.get(peer);
    if (book === undefined) return;
    this.#sendFeeFilter(peer, book);
    const { clock, random } = this.#context;
    const now = clock.nowMs();
    let trickle = peer.permissions.noban;
    if (book.nextSendMs < now) {
      trickle = true;
      if (peer.inbound) {
        if (this.#nextInboundMs < now) this.#nextInboundMs = now + poissonDelayMs(random, INBOUND_INTERVAL_MS);
        book.nextSendMs = this.#nextInboundMs;
      } else book.nextSendMs = now + poissonDelayMs(random, OUTBOUND_INTERVAL_MS);
    }
    if (!trickle && book.walk === null) return;
    if (!peer.relaysTxs) {
      book.waiting = [];
      book.next = this.#log.end;
      book.walk = null;
      return;
    }
    if (trickle && book.sendMempool && book.walk === null) {
      book.sendMempool = false;
      book.lastSequence = this.#context.mempool.sequence;
      book.walk = { row: 0, left: MAX_INV_SIZE };
    }
    if (book.walk !== null) this.#announceMempool(peer, book, book.walk);
    if (trickle && !peer.leaving) this.#announceWaiting(peer, book, now);
  }

  /** Announces a slice of the mempool. A peer can make its bloom filter so slow that each transaction costs nearly a millisecond. */
  #announceMempool(peer: Peer, book: PeerInventory, walk: Walk): void {
    const { records } = this.#context.mempool;
    const until = this.#monotonicMs() + SLICE_MS;
    book.lastMempoolRequest = this.#context.clock.nowSeconds();
    const items: InvItem[] = [];
    while (walk.row < records.rows.top && items.length < walk.left && this.#monotonicMs() < until) {
      const row = walk.row++;
      if (!records.rows.isHere(row)) continue;
      const entry = records.entry(row);
      const hash = peer.relaysByWtxid ? entry.tx.wtxid : entry.txid;
      if (entry.fee * 1_000 < book.minFeeRate * entry.size) continue;
      if (peer.filter !== null && !peer.filter.matches(entry.tx)) continue;
      book.known.add(hash);
      items.push({ type: invType(peer), hash: hash.slice() });
    }
    walk.left -= items.length;
    if (walk.left === 0 || walk.row >= records.rows.top) book.walk = null;
    for (let at = 0; at < items.length; at += MAX_INV) peer.send('inv', encodeInv(items.slice(at, at + MAX_INV)));
  }

  #announceWaiting(peer: Peer, book: PeerInventory, now: number): void {
    const count = this.#countWaiting(book);
    if (count === 0) return;
    book.lastSequence = this.#context.mempool.sequence;
    const most = Math.min(MAX_INV, BROADCAST_MAX + Math.floor(count / 1_000) * BROADCAST_PER_THOUSAND);
    const found = this.#firstWaiting(peer, book);
    // Parents before children, then by fee rate.
    found.sort((a, b) => a.ancestors - b.ancestors || b.fee * a.size - a.fee * b.size);
    const items: InvItem[] = [];
    const until = peer.filter === null ? Number.POSITIVE_INFINITY : this.#monotonicMs() + SLICE_MS;
    let checked = 0;
    while (checked < found.length && items.length < most && this.#monotonicMs() < until) {
      const { at, row, fee, size } = found[checked++]!;
      const hash = this.#log.read(at, peer.relaysByWtxid);
      const entry = this.#context.mempool.records.entry(row);
      if (book.known.has(hash)) continue;
      if (fee * 1_000 < book.minFeeRate * size) continue;
      if (peer.filter !== null && !peer.filter.matches(entry.tx)) continue;
      book.known.add(hash);
      book.recent.add(hash);
      // Core answers requests for such transactions from the mempool alone since version 26.
      if (this.#context.options.legacyPeers) this.#remember(entry, now);
      items.push({ type: invType(peer), hash });
    }
    book.waiting = found.slice(checked).map(({ at }) => at);
    if (items.length > 0) peer.send('inv', encodeInv(items));
  }

  /** Returns the first waiting transactions that are still in the mempool and unknown to the peer. */
  #firstWaiting(peer: Peer, book: PeerInventory): Waiting[] {
    const { records } = this.#context.mempool;
    const { ancestorCount, fee, size } = records.rows;
    const byWtxid = peer.relaysByWtxid;
    const found: Waiting[] = [];
    const check = (at: number): void => {
      const hash = this.#log.read(at, byWtxid);
      const row = book.known.has(hash) ? NO_ROW : byWtxid ? records.findWitness(hash) : records.find(hash);
      if (row !== NO_ROW) found.push({ at, row, ancestors: ancestorCount[row], fee: fee[row], size: size[row] });
    };
    for (const at of book.waiting) if (at >= this.#log.begin) check(at);
    book.next = Math.max(book.next, this.#log.begin);
    for (const end = Math.min(this.#log.end, book.next + MAX_CHECKED); book.next < end && found.length < ORDERED; ) check(book.next++);
    return found;
  }

  #remember(entry: MempoolEntry, now: number): void {
    const { tx } = entry;
    const key = hashKey(tx.txid);
    if (this.#relay.has(key)) return;
    const relayed: Relayed = { bytes: tx.bytes.slice(), wtxidKey: hashKey(tx.wtxid), expiresMs: now + RELAY_MS };
    this.#relay.set(key, relayed);
    this.#relayTxids.set(relayed.wtxidKey, key);
    this.#relayBytes += relayed.bytes.length;
    for (const [oldKey, old] of this.#relay) {
      if (old.expiresMs > now && this.#relayBytes <= RELAY_MAX_BYTES) break;
      this.#relay.delete(oldKey);
      this.#relayTxids.delete(old.wtxidKey);
      this.#relayBytes -= old.bytes.length;
    }
  }

  /** Returns a transaction that a peer may request (Core's FindTxForGetData). */
  findTx(peer: Peer, hash: Uint8Array, byWtxid: boolean): TxView | undefined {
    const { mempool, wtxids, clock, crypto, options } = this.#context;
    const book = this.#books.get(peer);
    if (book === undefined) return undefined;
    const entry = byWtxid ? wtxids.get(hash) : mempool.get(hash);
    if (entry !== undefined) {
      const longAgo = entry.time <= clock.nowSeconds() - UNCONDITIONAL_RELAY_SECONDS;
      // Transactions of a disconnected block are public (Core since version 26).
      if (longAgo || (entry.returned && !options.legacyPeers) || (book.lastMempoolRequest > 0 && entry.time <= book.lastMempoolRequest))
        return entry.tx;
    }
    if (!book.recent.has(hash)) return undefined;
    if (entry !== undefined) return entry.tx;
    const key = hashKey(hash);
    const relayed = this.#relay.get(byWtxid ? (this.#relayTxids.get(key) ?? '') : key);
    return relayed === undefined ? undefined : parseTx(relayed.bytes, crypto);
  }

  /** Lets the peer request the parents of a transaction that it was sent, because it may lack them. */
  allowParents(peer: Peer, tx: TxView): void {
    const book = this.#books.get(peer);
    if (book === undefined) return;
    const seen = new Set<string>();
    for (let i = 0; i < tx.inputCount; i++) {
      const txid = tx.prevHash(i);
      const key = hashKey(txid);
      if (seen.has(key)) continue;
      seen.add(key);
      const parent = this.#context.mempool.get(txid);
      if (parent === undefined) continue;
      book.recent.add(parent.txid);
      if (peer.relaysByWtxid) book.recent.add(parent.wtxid);
    }
  }

  #sendFeeFilter(peer: Peer, book: PeerInventory): void {
    const { options, clock, chain, mempool, random } = this.#context;
    if (!options.feeFilter || options.blocksOnly || peer.version < FEEFILTER_VERSION || peer.permissions.forcerelay) return;
    const stats = mempool.stats();
    // During the initial block download no transaction can be validated, so none is wanted.
    const rolling = stats.minFeeRate > stats.minRelayFeeRate ? stats.minFeeRate : 0;
    const current = chain.isInitialBlockDownload() ? MAX_MONEY : rolling;
    const now = clock.nowMs();
    if (book.feeSent === this.#highestStep && current !== MAX_MONEY) book.nextFeeMs = 0;
    if (now > book.nextFeeMs) {
      const announcedRate = Math.max(this.#rounded(current), stats.minRelayFeeRate);
      if (announcedRate !== book.feeSent) {
        peer.send('feefilter', encodeU64(BigInt(announcedRate)));
        book.feeSent = announcedRate;
      }
      book.nextFeeMs = now + poissonDelayMs(random, FEE_INTERVAL_MS);
    } else if (now + FEE_CHANGE_DELAY_MS < book.nextFeeMs && (current < (3 * book.feeSent) / 4 || current > (4 * book.feeSent) / 3)) {
      book.nextFeeMs = now + random() * FEE_CHANGE_DELAY_MS;
    }
  }

  /** Fee rate that this node sends to peers while it wants no transactions. */
  get #highestStep(): number {
    return this.#steps.at(-1) as number;
  }

  /**
   * Returns the next step at or above a rate or, in two of three cases, the step below that one: the exact rate would
   * identify this node's mempool.
   */
  #rounded(rate: number): number {
    const at = this.#steps.findIndex((step) => step >= rate);
    if (at < 0) return this.#highestStep;
    return this.#steps[at > 0 && this.#context.random() * 3 >= 1 ? at - 1 : at] as number;
  }
}

/** Returns the steps of feefilter: 0, then a series from half of `least`, each step 10 % above the one before. */
function feeSteps(least: number): readonly number[] {
  const list = [0];
  for (let step = least / 2; step <= MAX_FEE_STEP; step *= FEE_STEP) list.push(Math.floor(step));
  return list;
}

function invType(peer: Peer): number {
  return peer.relaysByWtxid ? INV.WTX : INV.TX;
}
