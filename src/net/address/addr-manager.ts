// Table of known addresses of other nodes (Core's CAddrMan). One source of addresses cannot fill it: "new" addresses
// (never connected to) lie in 1,024 buckets chosen by the peer that sent them, "tried" addresses in 256 buckets chosen
// by network group. A secret key decides which bucket. An address is dropped when another one needs its place.
import crypto from 'node:crypto';
import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import {
  addressKey,
  groupOf as byPrefix,
  isRoutable,
  type KnownAddress,
  NETWORK_NAMES,
  type NetAddress,
  type NetworkName,
  readAddressV2,
  writeAddressV2,
} from '../wire/net-address.js';

const NEW_BUCKETS = 1_024;
const TRIED_BUCKETS = 256;
const BUCKET_SIZE = 64;
/** Number of buckets that new addresses of one source group can reach, and that tried addresses of one network group can reach. */
const NEW_BUCKETS_PER_SOURCE_GROUP = 64;
const TRIED_BUCKETS_PER_GROUP = 8;
/** Maximum number of places that one address may have in the new table. */
const NEW_BUCKETS_PER_ADDRESS = 8;
const HORIZON_SECONDS = 30 * 24 * 60 * 60;
const RETRIES = 3;
const MIN_FAIL_SECONDS = 7 * 24 * 60 * 60;
const MAX_FAILURES = 10;
/** Percentage of the known addresses that one getaddr reply contains, and maximum number of addresses in such a reply. */
const SAMPLE_PERCENT = 23;
const SAMPLE_MAX = 1_000;
/** Age in seconds up to which a success protects a tried address from being replaced, and a failure lets it be replaced. */
const REPLACEMENT_SECONDS = 4 * 60 * 60;
/**
 * An address whose place in the tried table is occupied waits until the address there was tested. Maximum number of
 * waiting addresses, seconds that each waits, and seconds that the test may take.
 */
const MAX_COLLISIONS = 10;
const TEST_WINDOW_SECONDS = 40 * 60;
const ANSWER_SECONDS = 60;
/** Up to this number of addresses, select() chooses from a list. In sparse tables a search for an occupied place takes too long. */
const FEW = 200;

/** State of one address. */
export interface AddressInfo extends KnownAddress {
  readonly source: NetAddress;
  time: number;
  services: bigint;
  /** Seconds since 1970; 0: never. */
  lastTry: number;
  lastCounted: number;
  lastSuccess: number;
  attempts: number;
  /** Number of places in the new table. */
  refs: number;
  tried: boolean;
}

/** File format of peers.dat: magic, key, count, entries, first 4 bytes of the SHA-256 of all that. */
const FILE_MAGIC = 0x70646161;

export class AddrManager {
  readonly #infos = new Map<string, AddressInfo>();
  /** Address keys by bucket and position; undefined: free. */
  readonly #new: (string | undefined)[] = new Array(NEW_BUCKETS * BUCKET_SIZE);
  readonly #tried: (string | undefined)[] = new Array(TRIED_BUCKETS * BUCKET_SIZE);
  /** Keys of addresses that worked while another address has their place in the tried table. */
  readonly #collisions = new Set<string>();
  #key: Uint8Array;
  #newCount = 0;
  #triedCount = 0;
  #lastGood = 1;
  readonly #nowSeconds: () => number;
  readonly #random: () => number;
  /** Returns the network group of an address. */
  readonly #groupOf: (address: NetAddress) => string;

  /** @param key 32 secret bytes that decide the buckets */
  constructor(
    nowSeconds: () => number,
    random: () => number,
    groupOf: (address: NetAddress) => string = byPrefix,
    key: Uint8Array = crypto.randomBytes(32),
  ) {
    this.#nowSeconds = nowSeconds;
    this.#random = random;
    this.#groupOf = groupOf;
    this.#key = key;
  }

  get size(): number {
    return this.#infos.size;
  }

  /** Number of addresses in the tried table. */
  get tried(): number {
    return this.#triedCount;
  }

  /**
   * Adds an address that a peer sent.
   * @param penaltySeconds is subtracted from its time, because the information may be second-hand
   * @returns whether the address was unknown
   */
  add(address: KnownAddress, source: NetAddress, penaltySeconds = 0): boolean {
    if (!isRoutable(address)) return false;
    const key = addressKey(address);
    const known = this.#infos.get(key);
    const time = Math.max(0, address.time - (addressKey(source) === key ? 0 : penaltySeconds));
    if (known !== undefined) {
      const now = this.#nowSeconds();
      const online = now - address.time < 24 * 60 * 60;
      const step = online ? 60 * 60 : 24 * 60 * 60;
      if (address.time > 0 && (known.time === 0 || known.time < address.time - step - penaltySeconds)) known.time = time;
      known.services |= address.services;
      if (address.time === 0 || (known.time !== 0 && address.time <= known.time)) return false;
      if (known.tried || known.refs === NEW_BUCKETS_PER_ADDRESS) return false;
      // Each further place is half as likely as the one before.
      if (this.#random() * 2 ** known.refs >= 1) return false;
    }
    const info: AddressInfo = known ?? {
      network: address.network,
      bytes: address.bytes,
      port: address.port,
      time,
      services: address.services,
      source,
      lastTry: 0,
      lastCounted: 0,
      lastSuccess: 0,
      attempts: 0,
      refs: 0,
      tried: false,
    };
    const at = this.#newPlace(info, source);
    const there = this.#new[at];
    if (there === key) return false;
    if (there !== undefined) {
      const other = this.#infos.get(there) as AddressInfo;
      if (!this.#isTerrible(other) && !(other.refs > 1 && info.refs === 0)) {
        return false;
      }
      this.#clearNew(at);
    }
    if (known === undefined) {
      this.#infos.set(key, info);
      this.#newCount++;
    }
    info.refs++;
    this.#new[at] = key;
    return known === undefined;
  }

  /**
   * Moves an address to the tried table after a successful handshake, unless another address has its place there.
   * @returns whether it moved
   */
  good(address: NetAddress): boolean {
    const info = this.#infos.get(addressKey(address));
    const now = this.#nowSeconds();
    this.#lastGood = now;
    if (info === undefined) return false;
    info.lastSuccess = now;
    info.lastTry = now;
    info.attempts = 0;
    if (info.tried) return false;
    if (this.#tried[this.#triedPlace(info)] === undefined) {
      this.#moveToTried(info);
      return true;
    }
    // Test the address in that place before it is evicted. Otherwise an attacker's many addresses could evict all working ones.
    if (this.#collisions.size < MAX_COLLISIONS) this.#collisions.add(addressKey(info));
    return false;
  }

  /** Decides which of two addresses keeps a place in the tried table, as far as tests have finished (Core's ResolveCollisions). */
  resolveCollisions(): void {
    const now = this.#nowSeconds();
    for (const key of [...this.#collisions]) {
      const info = this.#infos.get(key);
      const other = info === undefined ? undefined : this.#inPlaceOf(info);
      let settled = true;
      if (info !== undefined && !info.tried) {
        if (other === undefined) this.#moveToTried(info);
        else if (now - other.lastSuccess >= REPLACEMENT_SECONDS) {
          const called = now - other.lastTry < REPLACEMENT_SECONDS;
          settled = called ? now - other.lastTry > ANSWER_SECONDS : now - info.lastSuccess > TEST_WINDOW_SECONDS;
          if (settled) this.#moveToTried(info);
        }
      }
      if (settled) this.#collisions.delete(key);
    }
  }

  /** Returns a tried address that a newcomer would replace. The caller should test it. */
  selectTriedCollision(): AddressInfo | undefined {
    const keys = [...this.#collisions];
    const key = keys[Math.floor(this.#random() * keys.length)];
    const info = key === undefined ? undefined : this.#infos.get(key);
    if (key !== undefined && info === undefined) this.#collisions.delete(key);
    return info === undefined ? undefined : this.#inPlaceOf(info);
  }

  #inPlaceOf(info: AddressInfo): AddressInfo | undefined {
    const there = this.#tried[this.#triedPlace(info)];
    return there === undefined ? undefined : this.#infos.get(there);
  }

  #moveToTried(info: AddressInfo): void {
    const key = addressKey(info);
    const at = this.#triedPlace(info);
    const other = this.#inPlaceOf(info);
    // Remove the address from the new table first: the displaced address may need one of its places.
    for (let i = 0; i < this.#new.length; i++) if (this.#new[i] === key) this.#new[i] = undefined;
    info.refs = 0;
    if (other !== undefined) this.#toNew(addressKey(other), other, at);
    info.tried = true;
    this.#newCount--;
    this.#triedCount++;
    this.#tried[at] = key;
  }

  /**
   * Records an attempt to connect.
   * @param count whether a failure counts against the address; false while this node may be offline itself
   */
  attempt(address: NetAddress, count: boolean): void {
    const info = this.#infos.get(addressKey(address));
    if (info === undefined) return;
    const now = this.#nowSeconds();
    info.lastTry = now;
    if (!count || info.lastCounted >= this.#lastGood) return;
    info.lastCounted = now;
    info.attempts++;
  }

  /** Updates the time at which an address was last connected, at most every 20 minutes, so that peers do not learn the exact minute. */
  connected(address: NetAddress): void {
    const info = this.#infos.get(addressKey(address));
    const now = this.#nowSeconds();
    if (info !== undefined && now - info.time > 20 * 60) info.time = now;
  }

  setServices(address: NetAddress, services: bigint): void {
    const info = this.#infos.get(addressKey(address));
    if (info !== undefined) info.services = services;
  }

  /** Returns the services that an address offers, as far as known. */
  servicesOf(address: NetAddress): bigint {
    return this.#infos.get(addressKey(address))?.services ?? 0n;
  }

  /** Returns an address to connect to; undefined if none is known. @param newOnly only addresses that never worked, for feelers */
  select(newOnly = false): AddressInfo | undefined {
    if (this.#infos.size === 0 || (newOnly && this.#newCount === 0)) return undefined;
    const tried = !newOnly && this.#triedCount > 0 && (this.#newCount === 0 || this.#random() < 0.5);
    const table = tried ? this.#tried : this.#new;
    const few = (tried ? this.#triedCount : this.#newCount) <= FEW ? this.#infosWhere(tried) : null;
    // The factor grows with each try, so that less likely addresses are chosen in the end too.
    for (let factor = 1; ; ) {
      const info = few === null ? this.#infoFrom(table) : (few[Math.floor(this.#random() * few.length)] as AddressInfo);
      if (this.#random() < factor * this.#chance(info)) return info;
      factor *= 1.2;
    }
  }

  /** Returns a random address of one network. Walks through all addresses. */
  selectOf(network: NetworkName): AddressInfo | undefined {
    const all = [...this.#infos.values()].filter((info) => info.network === network);
    if (all.length === 0) return undefined;
    for (let factor = 1; ; factor *= 1.2) {
      const info = all[Math.floor(this.#random() * all.length)] as AddressInfo;
      if (this.#random() < factor * this.#chance(info)) return info;
    }
  }

  #infosWhere(tried: boolean): AddressInfo[] {
    // Read the tried table, which is far smaller than the map of all addresses.
    if (tried) return this.#tried.flatMap((key) => (key === undefined ? [] : [this.#infos.get(key) as AddressInfo]));
    return [...this.#infos.values()].filter((info) => !info.tried);
  }

  /** Returns the address in a random place of a table that is not empty. */
  #infoFrom(table: readonly (string | undefined)[]): AddressInfo {
    // Probe with a random odd step: it reaches every place of a table whose size is a power of two. Taking the next
    // occupied place would prefer addresses with many free places before them.
    const start = Math.floor(this.#random() * table.length);
    const step = 1 + 2 * Math.floor(this.#random() * (table.length / 2));
    let key: string | undefined;
    for (let i = 0; i < table.length && key === undefined; i++) key = table[(start + i * step) % table.length];
    return this.#infos.get(key as string) as AddressInfo;
  }

  /** Counts new and tried addresses of each network, for getaddrmaninfo. */
  counts(): Map<NetworkName, { new: number; tried: number }> {
    const counts = new Map(NETWORK_NAMES.map((name) => [name, { new: 0, tried: 0 }]));
    for (const { network, tried } of this.#infos.values())
      (counts.get(network) as { new: number; tried: number })[tried ? 'tried' : 'new']++;
    return counts;
  }

  /** Returns the content of a table by `bucket/position`, for getrawaddrman. */
  table(name: 'new' | 'tried'): Map<string, AddressInfo> {
    const found = new Map<string, AddressInfo>();
    const keys = name === 'new' ? this.#new : this.#tried;
    for (const [at, key] of keys.entries()) {
      const info = key === undefined ? undefined : this.#infos.get(key);
      if (info !== undefined) found.set(`${Math.floor(at / BUCKET_SIZE)}/${at % BUCKET_SIZE}`, info);
    }
    return found;
  }

  /** Returns a random sample of known addresses that may be alive. @param most 0: no limit except the percentage */
  sample(most = SAMPLE_MAX, percent = SAMPLE_PERCENT, of?: string): AddressInfo[] {
    const all = [...this.#infos.values()].filter(({ network }) => of === undefined || network === of);
    let count = percent === 0 ? all.length : Math.ceil((all.length * percent) / 100);
    if (most > 0) count = Math.min(count, most);
    const found: AddressInfo[] = [];
    for (let i = 0; i < all.length && found.length < count; i++) {
      const j = i + Math.floor(this.#random() * (all.length - i));
      [all[i], all[j]] = [all[j] as AddressInfo, all[i] as AddressInfo];
      if (!this.#isTerrible(all[i] as AddressInfo)) found.push(all[i] as AddressInfo);
    }
    return found;
  }

  encode(): Uint8Array {
    const writer = new ByteWriter(64 + this.#infos.size * 80).u32(FILE_MAGIC).bytes(this.#key).u32(this.#infos.size);
    for (const info of this.#infos.values()) {
      writeAddressV2(writer, info);
      writeAddressV2(writer, info.source);
      writer
        .u32(info.time)
        .u64(info.services)
        .u64(info.lastSuccess)
        .u32(info.attempts)
        .u8(info.tried ? 1 : 0);
    }
    const body = writer.finish();
    return Buffer.concat([body, crypto.createHash('sha256').update(body).digest().subarray(0, 4)]);
  }

  /** Loads what encode() wrote into an empty manager. @throws DecodeError if the bytes are damaged */
  load(bytes: Uint8Array): void {
    if (bytes.length < 44) throw new DecodeError('too short');
    const body = bytes.subarray(0, bytes.length - 4);
    const sum = crypto.createHash('sha256').update(body).digest().subarray(0, 4);
    if (Buffer.compare(sum, bytes.subarray(bytes.length - 4)) !== 0) throw new DecodeError('checksum mismatch');
    const reader = new ByteReader(body);
    if (reader.u32() !== FILE_MAGIC) throw new DecodeError('not a file of addresses');
    this.#key = reader.bytes(32).slice();
    const count = reader.u32();
    for (let i = 0; i < count; i++) {
      const address = readAddressV2(reader);
      const source = readAddressV2(reader);
      const [time, services, lastSuccess, attempts, tried] = [reader.u32(), reader.u64big(), reader.u64(), reader.u32(), reader.u8()];
      if (address === null || source === null || !this.add({ ...address, time, services }, source)) continue;
      const info = this.#infos.get(addressKey(address)) as AddressInfo;
      info.lastSuccess = lastSuccess;
      info.attempts = attempts;
      if (tried === 1 && this.#inPlaceOf(info) === undefined) this.#moveToTried(info);
    }
  }

  /** Moves an address back to a new bucket and drops the address in that place. */
  #toNew(key: string, info: AddressInfo, triedAt: number): void {
    this.#tried[triedAt] = undefined;
    info.tried = false;
    this.#triedCount--;
    this.#newCount++;
    const at = this.#newPlace(info, info.source);
    if (this.#new[at] !== undefined) this.#clearNew(at);
    this.#new[at] = key;
    info.refs = 1;
  }

  #clearNew(at: number): void {
    const key = this.#new[at] as string;
    const info = this.#infos.get(key) as AddressInfo;
    this.#new[at] = undefined;
    if (--info.refs > 0) return;
    this.#infos.delete(key);
    this.#newCount--;
  }

  #isTerrible(info: AddressInfo): boolean {
    const now = this.#nowSeconds();
    if (info.lastTry > 0 && info.lastTry >= now - 60) return false;
    if (info.time > now + 10 * 60) return true;
    if (info.time === 0 || now - info.time > HORIZON_SECONDS) return true;
    if (info.lastSuccess === 0 && info.attempts >= RETRIES) return true;
    return now - info.lastSuccess > MIN_FAIL_SECONDS && info.attempts >= MAX_FAILURES;
  }

  #chance(info: AddressInfo): number {
    const sinceTry = Math.max(this.#nowSeconds() - info.lastTry, 0);
    return (sinceTry < 60 * 10 ? 0.01 : 1) * 0.66 ** Math.min(info.attempts, 8);
  }

  /** Returns the new bucket of an address that a source sent. */
  newBucketOf(info: NetAddress, source: NetAddress): number {
    const group = this.#groupOf(source);
    const within = this.#hash(this.#groupOf(info), group) % NEW_BUCKETS_PER_SOURCE_GROUP;
    return this.#hash(group, String(within)) % NEW_BUCKETS;
  }

  #newPlace(info: NetAddress, source: NetAddress): number {
    const bucket = this.newBucketOf(info, source);
    return bucket * BUCKET_SIZE + (this.#hash('N', String(bucket), addressKey(info)) % BUCKET_SIZE);
  }

  #triedPlace(info: NetAddress): number {
    const within = this.#hash(addressKey(info)) % TRIED_BUCKETS_PER_GROUP;
    const bucket = this.#hash(this.#groupOf(info), String(within)) % TRIED_BUCKETS;
    return bucket * BUCKET_SIZE + (this.#hash('K', String(bucket), addressKey(info)) % BUCKET_SIZE);
  }

  #hash(...parts: string[]): number {
    const hash = crypto.createHash('sha256').update(this.#key);
    for (const part of parts) hash.update(`${part.length}:`).update(part, 'latin1');
    return hash.digest().readUInt32LE(0);
  }
}
