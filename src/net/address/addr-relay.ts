// Exchange of addresses with peers (addr, addrv2, getaddr). New addresses are forwarded to two peers each, which stay
// the same for a day (Core's handling of ADDR and GETADDR, and RelayAddress).
import crypto from 'node:crypto';
import { type NetContext, poissonDelayMs } from '../context.js';
import type { Peer } from '../peer/peer.js';
import { RollingBloom } from '../relay/rolling-bloom.js';
import { decodeAddr, decodeAddrV2, encodeAddr, encodeAddrV2, TooMany } from '../wire/messages.js';
import {
  addressKey,
  addressText,
  fitsOldForm,
  hostKey,
  hostText,
  isRoutable,
  type KnownAddress,
  type NetAddress,
} from '../wire/net-address.js';
import { MAX_ADDR_TO_SEND, SERVICE } from '../wire/protocol.js';
import type { AddrManager } from './addr-manager.js';

/** Mean time between messages of addresses to a peer, and between announcements of this node's own address. */
const SEND_INTERVAL_MS = 30_000;
const LOCAL_INTERVAL_MS = 24 * 60 * 60_000;
/** Token bucket of addresses that a peer may send: capacity, and refill (one per ten seconds). */
const TOKENS_MAX = 1_000;
const TOKENS_PER_MS = 0.1 / 1_000;
/** Maximum age in seconds of a forwarded address. Addresses of messages with more than FEW addresses are not forwarded. */
const FRESH_SECONDS = 10 * 60;
const FEW = 10;
/** Seconds subtracted from the time of second-hand addresses. */
const PENALTY_SECONDS = 2 * 60 * 60;
const KNOWN = 5_000;
const FALSE_HITS = 0.001;
/** The reply to getaddr stays the same for about a day, so repeated requests reveal nothing more. */
const CACHE_MS = 24 * 60 * 60_000;
const DAY_SECONDS = 24 * 60 * 60;

/** Time after which an addr-fetch peer that has not answered is disconnected. */
const FETCH_MS = 10 * SEND_INTERVAL_MS;

interface Book {
  readonly joinedMs: number;
  known: RollingBloom;
  waiting: KnownAddress[];
  nextSendMs: number;
  nextLocalMs: number;
  tokens: number;
  tokensAtMs: number;
  asked: boolean;
  answered: boolean;
  /** Number of addresses of the peer that were processed, and number that the token bucket dropped. */
  processed: number;
  limited: number;
}

/** Address counters of a peer for getpeerinfo. */
export interface AddrCounts {
  readonly processed: number;
  /** Number of addresses that were dropped because the peer sent too many. */
  readonly limited: number;
}

export class AddrRelay {
  readonly #books = new Map<Peer, Book>();
  readonly #salt = crypto.randomBytes(16);
  /**
   * getaddr replies by the peer's network and the listener that it uses. Separate replies keep a peer from linking this
   * node's addresses in two networks.
   */
  readonly #caches = new Map<string, { readonly until: number; readonly list: readonly KnownAddress[] }>();
  readonly #context: NetContext;
  readonly #manager: AddrManager;
  /** Returns the address of this node that a peer should know. */
  readonly #local: (peer: Peer) => NetAddress | null;
  /** Returns whether an address is banned or discouraged. Such addresses are neither stored nor sent. */
  readonly #isUnwanted: (address: NetAddress) => boolean;

  constructor(
    context: NetContext,
    manager: AddrManager,
    local: (peer: Peer) => NetAddress | null,
    isUnwanted: (address: NetAddress) => boolean,
  ) {
    this.#context = context;
    this.#manager = manager;
    this.#local = local;
    this.#isUnwanted = isUnwanted;
  }

  /** Called after the handshake. An inbound peer gets addresses only once it has sent an address message itself. */
  addPeer(peer: Peer): void {
    if (!peer.inbound || this.#context.options.legacyPeers) this.#openBook(peer);
  }

  /** @returns undefined for a peer that exchanges no addresses */
  #openBook(peer: Peer): Book | undefined {
    // Addresses exchanged on a block-relay-only connection could reveal that the connection exists.
    if (peer.type === 'block-relay-only') return undefined;
    const begun = this.#books.get(peer);
    if (begun !== undefined) return begun;
    const now = this.#context.clock.nowMs();
    const book: Book = {
      joinedMs: now,
      known: new RollingBloom(KNOWN, FALSE_HITS),
      waiting: [],
      nextSendMs: 0,
      nextLocalMs: 0,
      tokens: 1,
      tokensAtMs: now,
      asked: false,
      answered: false,
      processed: 0,
      limited: 0,
    };
    this.#books.set(peer, book);
    return book;
  }

  /** Returns null if no addresses are exchanged with the peer. */
  counts(peer: Peer): AddrCounts | null {
    return this.#books.get(peer) ?? null;
  }

  forgetPeer(peer: Peer): void {
    this.#books.delete(peer);
  }

  /** Sends getaddr to a peer that this node chose, once. */
  requestAddresses(peer: Peer): void {
    const book = this.#books.get(peer);
    if (book === undefined || book.asked) return;
    peer.send('getaddr');
    book.asked = true;
    book.tokens += MAX_ADDR_TO_SEND;
  }

  /** Answers getaddr: only for inbound peers, once per connection, from a list that changes daily. */
  answerGetAddr(peer: Peer): void {
    const { log, clock, random } = this.#context;
    if (!peer.inbound) {
      log.debug('net', `Ignoring "getaddr" from ${peer.type} connection. peer=${peer.id}`);
      return;
    }
    const book = this.#openBook(peer);
    if (book === undefined) return;
    if (book.answered) {
      log.debug('net', `Ignoring repeated "getaddr". peer=${peer.id}`);
      return;
    }
    book.answered = true;
    book.waiting = [];
    const now = clock.nowMs();
    if (peer.permissions.addr) {
      for (const address of this.#sample()) this.#push(book, peer, address);
      return;
    }
    const key = `${peer.address.network} ${peer.bindText}`;
    let cache = this.#caches.get(key);
    if (cache === undefined || cache.until < now) {
      cache = { until: now + CACHE_MS * (0.875 + random() / 4), list: this.#sample() };
      this.#caches.set(key, cache);
    }
    for (const address of cache.list) this.#push(book, peer, address);
  }

  #sample(): KnownAddress[] {
    return this.#manager
      .sample()
      .filter((one) => !this.#isUnwanted(one))
      .map((one) => ({ ...one }));
  }

  /** Handles addr and addrv2. @throws DecodeError */
  receiveAddr(peer: Peer, payload: Uint8Array, v2: boolean): void {
    const { log, clock, options } = this.#context;
    const book = this.#openBook(peer);
    if (book === undefined) {
      log.debug('net', `ignoring ${v2 ? 'addrv2' : 'addr'} message from ${peer.type} peer=${peer.id}`);
      return;
    }
    let list: KnownAddress[];
    try {
      list = v2 ? decodeAddrV2(payload) : decodeAddr(payload);
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      this.#context.misbehaving(peer, 20, error.message);
      return;
    }
    const now = clock.nowSeconds();
    const fetched = book.asked;
    let added = 0;
    this.#refill(book);
    for (const [at, heard] of list.entries()) {
      if (book.tokens < 1 && !peer.permissions.addr) {
        book.limited += list.length - at;
        break;
      }
      book.tokens--;
      const wanted = (heard.services & (SERVICE.NETWORK | SERVICE.NETWORK_LIMITED)) !== 0n;
      if (!wanted) continue;
      const strange = heard.time <= 100_000_000 || heard.time > now + FRESH_SECONDS;
      const address = strange ? { ...heard, time: now - 5 * DAY_SECONDS } : heard;
      book.known.add(this.#digest(address));
      if (this.#isUnwanted(address)) continue;
      book.processed++;
      if (!isRoutable(address)) continue;
      if (address.time > now - FRESH_SECONDS && !fetched && list.length <= FEW) this.#passOn(address, peer);
      const reachable = options.onlyNets.length === 0 ? this.#isOurs(address) : options.onlyNets.includes(address.network);
      if (!reachable || !this.#manager.add(address, peer.address, PENALTY_SECONDS)) continue;
      added++;
      const bucket = this.#manager.newBucketOf(address, peer.address);
      log.debug('addrman', `IP ${hostText(address)} mapped to AS${this.#context.systemOf(address)} belongs to new bucket ${bucket}`);
    }
    if (added > 0) {
      const { tried, size } = this.#manager;
      log.debug('addrman', `Added ${added} addresses from ${hostText(peer.address)}: ${tried} tried, ${size - tried} new`);
    }
    if (list.length < MAX_ADDR_TO_SEND) book.asked = false;
    if (peer.type === 'addr-fetch' && list.length > 1) {
      this.#context.disconnect(peer, 'addrfetch connection completed');
    }
  }

  /** Returns whether this node can reach the network of an address. 0.21 also stores addresses that it cannot reach. */
  #isOurs({ network }: NetAddress): boolean {
    const { legacyPeers, i2pSam } = this.#context.options;
    return legacyPeers || (network === 'i2p' ? i2pSam !== null : network !== 'cjdns');
  }

  /** Sends the queued addresses of a peer when they are due. */
  send(peer: Peer): void {
    const book = this.#books.get(peer);
    if (book === undefined) return;
    const { clock, random, chain, options, services } = this.#context;
    const now = clock.nowMs();
    if (peer.type === 'addr-fetch' && now - book.joinedMs > FETCH_MS) {
      this.#context.disconnect(peer, 'addrfetch connection timeout');
      return;
    }
    if (options.listen && !chain.isInitialBlockDownload() && book.nextLocalMs < now) {
      const local = this.#local(peer);
      if (local !== null) {
        const own = { ...local, time: clock.nowSeconds(), services };
        this.#context.log.debug('net', `Advertising address ${addressText(own)} to peer=${peer.id}`);
        // The first announcement goes alone: the peer may use only one address of a longer message.
        if (book.nextLocalMs === 0 && fits(peer, own)) this.#sendAddresses(peer, [own]);
        else {
          book.known = new RollingBloom(KNOWN, FALSE_HITS);
          this.#push(book, peer, own);
        }
      }
      book.nextLocalMs = now + poissonDelayMs(random, LOCAL_INTERVAL_MS);
    }
    if (book.nextSendMs >= now) return;
    book.nextSendMs = now + poissonDelayMs(random, SEND_INTERVAL_MS);
    const { waiting } = book;
    book.waiting = [];
    const fresh = waiting.filter((address) => !book.known.has(this.#digest(address)));
    for (const address of fresh) book.known.add(this.#digest(address));
    for (let at = 0; at < fresh.length; at += MAX_ADDR_TO_SEND) this.#sendAddresses(peer, fresh.slice(at, at + MAX_ADDR_TO_SEND));
  }

  #sendAddresses(peer: Peer, list: readonly KnownAddress[]): void {
    peer.send(peer.wantsAddrV2 ? 'addrv2' : 'addr', peer.wantsAddrV2 ? encodeAddrV2(list) : encodeAddr(list));
  }

  /** Forwards an address to two peers. The same two are chosen for a day, whichever peer sent it. */
  #passOn(address: KnownAddress, from: Peer): void {
    const day = Math.floor((this.#context.clock.nowSeconds() + (this.#digest(address)[0] as number) * 337) / DAY_SECONDS);
    const ranked = [...this.#books]
      .filter(([peer]) => peer !== from && fits(peer, address))
      .map(([peer, book]) => {
        const rank = crypto.createHash('sha256').update(this.#salt).update(hostKey(address), 'latin1').update(`${day}/${peer.id}`).digest();
        return { peer, book, rank: rank.readUInt32LE(0) };
      })
      .sort((a, b) => a.rank - b.rank);
    for (const { peer, book } of ranked.slice(0, 2)) this.#push(book, peer, address);
  }

  #push(book: Book, peer: Peer, address: KnownAddress): void {
    if (!fits(peer, address)) return;
    if (book.known.has(this.#digest(address))) return;
    // The queue is full: replace a random entry.
    if (book.waiting.length >= MAX_ADDR_TO_SEND) book.waiting[Math.floor(this.#context.random() * book.waiting.length)] = address;
    else book.waiting.push(address);
  }

  #refill(book: Book): void {
    const now = this.#context.clock.nowMs();
    if (book.tokens < TOKENS_MAX) book.tokens = Math.min(TOKENS_MAX, book.tokens + Math.max(0, now - book.tokensAtMs) * TOKENS_PER_MS);
    book.tokensAtMs = now;
  }

  #digest(address: NetAddress): Uint8Array {
    return crypto.createHash('sha256').update(addressKey(address), 'latin1').digest();
  }
}

/** Returns whether the peer's message format can carry the address. */
function fits(peer: Peer, address: NetAddress): boolean {
  return peer.wantsAddrV2 || fitsOldForm(address);
}
