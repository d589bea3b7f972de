// Tells peers of transactions, slowly and in an order that says nothing about where they came from, and hands them out
// on request (Core's inventory trickle, mapRelay and feefilter).
import { hashKey } from '../../consensus/bytes/hex.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { Slicer } from '../../lib/slicer.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import { NO_ROW } from '../../mempool/rows.js';
import { type NetContext, poissonDelayMs } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { encodeInv, encodeU64, type InvItem } from '../wire/messages.js';
import { FEEFILTER_VERSION, INV, MAX_INV_SIZE } from '../wire/protocol.js';
import { RelayLog } from './relay-log.js';
import { RollingBloom } from './rolling-bloom.js';

/**
 * Mean time between announcements to peers that we chose; all others share one clock, so that none learns more than
 * another.
 */
const OUTBOUND_INTERVAL_MS = 2_000;
const INBOUND_INTERVAL_MS = 5_000;
/** Transactions announced at once, seven a second for inbound peers. */
const BROADCAST_MAX = 7 * 5;
/** Beyond that, more is announced at once as more waits: so many a thousand, up to what one inv holds. */
const BROADCAST_PER_THOUSAND = 5;
/** Milliseconds that filters, or a walk through the whole mempool, may take of one turn. */
const SLICE_MS = 2;
/** Of what waits, so many are put in order each time, those that came first. */
const ORDERED = 2_000;
/** Looked at for that in one turn, since most may have left the mempool. */
const MAX_CHECKED = 4 * ORDERED;
/** What waits for a slow peer beyond that, 64 MB; it never hears of still older ones. */
const MOST_WAITING = 1_000_000;
/** Hashes of one inv. */
const MAX_INV = 1_000;
/** Hashes a peer surely knows, and those told it lately. */
const KNOWN = 50_000;
const RECENT = 3_500;
const FALSE_HITS = 0.000001;
/** What was announced is kept this long for those who ask, even when the mempool lost it. */
const RELAY_MS = 15 * 60_000;
const RELAY_MAX_BYTES = 16 << 20;
/** Any peer may ask for transactions this old: the whole network knows them. */
const UNCONDITIONAL_RELAY_SECONDS = 2 * 60;
/** feefilter: mean time between, and how soon after a large change. */
const FEE_INTERVAL_MS = 10 * 60_000;
const FEE_CHANGE_DELAY_MS = 5 * 60_000;
const MAX_MONEY = 2_100_000_000_000_000;
/** Steps of 10 %, up to a rate that no transaction pays. */
const FEE_STEP = 1.1;
const MAX_FEE_STEP = 10_000_000;
/** Core's default of -minrelaytxfee, satoshis per 1,000 virtual bytes: of release 30 and of 0.21. */
const LEAST_FEE = 100;
const LEAST_FEE_OF_21 = 1_000;

interface PeerInventory {
  readonly known: RollingBloom;
  readonly recent: RollingBloom;
  /** Positions in the log of what is to be announced first, at most ORDERED; some may have become needless. */
  waiting: number[];
  /** Position in the log where the rest of what waits begins. */
  next: number;
  nextSendMs: number;
  /** It asked for the whole mempool. */
  sendMempool: boolean;
  /** The walk through the mempool that answers that, while it lasts. */
  walk: Walk | null;
  lastMempoolRequest: number;
  /** Mempool's sequence number at the last announcement to this peer; 1 before the first. */
  lastSequence: number;
  /** Satoshis per 1,000 virtual bytes below which it wants nothing. */
  minFeeRate: number;
  feeSent: number;
  nextFeeMs: number;
}

/** What waits to be announced and is in the mempool, with what it is put in order by; for at once. */
interface Waiting {
  /** Position in the log. */
  readonly at: number;
  readonly row: number;
  readonly ancestors: number;
  readonly fee: number;
  readonly size: number;
}

interface Walk {
  /**
   * Row of the mempool to look at next. What leaves meanwhile is not announced, what comes waits like everything new.
   */
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
  /** By txid, oldest first; and the txids of wtxids. */
  readonly #relay = new Map<string, Relayed>();
  readonly #relayTxids = new Map<string, string>();
  #relayBytes = 0;
  #nextInboundMs = 0;
  readonly #context: NetContext;
  readonly #monotonicMs: () => number;
  readonly #steps: readonly number[];

  /** @param monotonicMs milliseconds of a clock that only goes forward */
  constructor(context: NetContext, monotonicMs: () => number = () => performance.now()) {
    this.#context = context;
    this.#monotonicMs = monotonicMs;
    this.#steps = feeSteps(context.options.legacyPeers ? LEAST_FEE_OF_21 : LEAST_FEE);
  }

  /** The handshake with a peer is over. */
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

  /** Lowest rate the peer takes, satoshis per 1,000 virtual bytes. */
  minFeeRate(peer: Peer): number {
    return this.#books.get(peer)?.minFeeRate ?? 0;
  }

  /** Transactions that wait to be announced to a peer. */
  waitingFor(peer: Peer): number {
    const book = this.#books.get(peer);
    return book === undefined ? 0 : this.#countWaiting(book);
  }

  /** Returns the mempool's sequence number at the last announcement to a peer. */
  lastSequence(peer: Peer): number {
    return this.#books.get(peer)?.lastSequence ?? 1;
  }

  /** A transaction of the mempool is to be known everywhere (Core's RelayTransaction). */
  relayTx(tx: Pick<TxView, 'txid' | 'wtxid'>): void {
    if (this.#books.size === 0) return;
    this.#log.append(tx.txid, tx.wtxid, () => this.#lowestPosition());
  }

  /** Announces again what no peer has asked for yet (Core's ReattemptInitialBroadcast): a million may be here. */
  async relayUnbroadcast(): Promise<void> {
    const slicer = new Slicer();
    for (const entry of this.#context.mempool.entries()) {
      if (entry.unbroadcast) this.relayTx(entry);
      if (slicer.due) await slicer.pause();
    }
  }

  /** Of the log, what some peer has still to be told. */
  #lowestPosition(): number {
    let lowest = this.#log.end;
    for (const { next, waiting } of this.#books.values())
      lowest = waiting.reduce((least, at) => Math.min(least, at), Math.min(lowest, next));
    return lowest;
  }

  #countWaiting(book: PeerInventory): number {
    return book.waiting.length + this.#log.end - Math.max(book.next, this.#log.begin);
  }

  /** A peer sent or announced it. */
  noteKnown(peer: Peer, tx: TxView): void {
    const book = this.#books.get(peer);
    if (book === undefined) return;
    book.known.add(peer.relaysByWtxid ? tx.wtxid : tx.txid);
  }
  noteKnownHash(peer: Peer, hash: Uint8Array): void {
    this.#books.get(peer)?.known.add(hash);
  }

  /** feefilter. @param rate as received */
  feeFilter(peer: Peer, rate: bigint): void {
    const book = this.#books.get(peer);
    if (book === undefined || rate < 0n || rate > BigInt(MAX_MONEY)) return;
    book.minFeeRate = Number(rate);
    this.#context.log.debug('net', `received: feefilter of ${(Number(rate) / 1e8).toFixed(8)} BTC/kvB from peer=${peer.id}`);
  }

  /** mempool (BIP-0035), allowed by permission only. */
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

  /** A slice of the walk: with a filter made for it each transaction may cost much of a millisecond. */
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
      this.#remember(entry, now);
      items.push({ type: invType(peer), hash });
    }
    book.waiting = found.slice(checked).map(({ at }) => at);
    if (items.length > 0) peer.send('inv', encodeInv(items));
  }

  /** What waits first and is still in the mempool; the others need not be known now. */
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

  /** The transaction a peer may ask for, if any (Core's FindTxForGetData). */
  findTx(peer: Peer, hash: Uint8Array, byWtxid: boolean): TxView | undefined {
    const { mempool, wtxids, clock, crypto, options } = this.#context;
    const book = this.#books.get(peer);
    if (book === undefined) return undefined;
    const entry = byWtxid ? wtxids.get(hash) : mempool.get(hash);
    if (entry !== undefined) {
      const longAgo = entry.time <= clock.nowSeconds() - UNCONDITIONAL_RELAY_SECONDS;
      // What a block held is no secret any more (Core since version 26).
      if (longAgo || (entry.returned && !options.legacyPeers) || (book.lastMempoolRequest > 0 && entry.time <= book.lastMempoolRequest))
        return entry.tx;
    }
    if (!book.recent.has(hash)) return undefined;
    if (entry !== undefined) return entry.tx;
    const key = hashKey(hash);
    const relayed = this.#relay.get(byWtxid ? (this.#relayTxids.get(key) ?? '') : key);
    return relayed === undefined ? undefined : parseTx(relayed.bytes, crypto);
  }

  /** It was handed out: its parents may be asked for too, since the peer may lack them. */
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
    // In initial download nothing can be checked: nothing is wanted.
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

  /** What peers are told while nothing is wanted. */
  get #highestStep(): number {
    return this.#steps.at(-1) as number;
  }

  /** The next step, or two times in three the one below it: the exact rate would tell our mempool from others'. */
  #rounded(rate: number): number {
    const at = this.#steps.findIndex((step) => step >= rate);
    if (at < 0) return this.#highestStep;
    return this.#steps[at > 0 && this.#context.random() * 3 >= 1 ? at - 1 : at] as number;
  }
}

/** Steps of feefilter: 0, then from half the least relay fee of a release up by tenths. */
function feeSteps(least: number): readonly number[] {
  const list = [0];
  for (let step = least / 2; step <= MAX_FEE_STEP; step *= FEE_STEP) list.push(Math.floor(step));
  return list;
}

function invType(peer: Peer): number {
  return peer.relaysByWtxid ? INV.WTX : INV.TX;
}
