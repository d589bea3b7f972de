// Unwanted addresses. Banned ones (setban) are stored in banlist.json until the ban expires. Discouraged ones
// (misbehaviour) are kept in memory only.
import fs from 'node:fs';
import { replaceFileSync } from '../../lib/durable-file.js';
import type { Subnet } from '../options.js';
import { RollingBloom } from '../relay/rolling-bloom.js';
import { hostText, matchesPrefix, type NetAddress, parseHost } from '../wire/net-address.js';

/** Number of discouraged addresses that are remembered, and share of other addresses that match by accident. */
const DISCOURAGED = 50_000;
const FALSE_HITS = 0.000001;

export interface Ban {
  readonly subnet: Subnet;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly until: number;
}

export function addressBits({ bytes }: NetAddress): number {
  return bytes.length * 8;
}

/** Parses `address`, `address/bits` or `address/mask`. @returns null if the text is none of them */
export function parseSubnet(text: string): Subnet | null {
  const slash = text.lastIndexOf('/');
  const address = parseHost(slash < 0 ? text : text.slice(0, slash), 0);
  if (address === null) return null;
  if (slash < 0) return { address, bits: addressBits(address) };
  const mask = text.slice(slash + 1);
  if (/^\d{1,3}$/.test(mask)) {
    const bits = Number(mask);
    return address.bytes.length <= 16 && bits <= addressBits(address) ? { address, bits } : null;
  }
  const maskAddress = parseHost(mask, 0);
  if (maskAddress === null || maskAddress.network !== address.network) return null;
  const digits = [...maskAddress.bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return /^1*0*$/.test(digits) ? { address, bits: digits.indexOf('0') < 0 ? digits.length : digits.indexOf('0') } : null;
}

/** Returns the subnet as Core prints it: with the number of bits for IP networks. */
export function subnetText({ address, bits }: Subnet): string {
  const bytes = address.bytes.slice();
  for (let bit = bits; bit < bytes.length * 8; bit++) bytes[bit >> 3] = (bytes[bit >> 3] as number) & ~(0x80 >> (bit & 7));
  const host = hostText({ ...address, bytes });
  return address.bytes.length <= 16 ? `${host}/${bits}` : host;
}

export function subnetContains(subnet: Subnet, address: NetAddress): boolean {
  return subnet.address.network === address.network && matchesPrefix(address.bytes, subnet.address.bytes, subnet.bits);
}

export class Bans {
  readonly #bans = new Map<string, Ban>();
  /** Prefix lengths in bits that bans of a network have or had. One lookup per length finds the ban of an address. */
  readonly #lengths = new Map<NetAddress['network'], Set<number>>();
  /** Number of times an address was discouraged since the start. */
  discouragedTotal = 0;
  readonly #discouraged = new RollingBloom(DISCOURAGED, FALSE_HITS);
  /** File of the bans; null: bans are not stored. */
  readonly #path: string | null;
  readonly #nowSeconds: () => number;
  readonly #warn: (text: string) => void;

  /** @param note logs an info line */
  constructor(path: string | null, nowSeconds: () => number, warn: (text: string) => void, note: (text: string) => void = () => {}) {
    this.#path = path;
    this.#nowSeconds = nowSeconds;
    this.#warn = warn;
    if (path === null) return;
    if (fs.existsSync(path)) this.#load(path);
    else {
      note('Recreating the banlist database');
      this.#save();
    }
  }

  /** @param until seconds since 1970 */
  add(subnet: Subnet, until: number): void {
    const key = subnetText(subnet);
    const old = this.#bans.get(key);
    if (old !== undefined && old.until >= until) return;
    this.#store({ subnet, createdAt: this.#nowSeconds(), until });
    this.#save();
  }

  /** @returns false if there was no such ban */
  remove(subnet: Subnet): boolean {
    const removed = this.#bans.delete(subnetText(subnet));
    if (removed) this.#save();
    return removed;
  }

  clear(): void {
    this.#bans.clear();
    this.#lengths.clear();
    this.#save();
  }

  /** Returns the bans in force, sorted by their text. */
  list(): Ban[] {
    this.#sweep();
    return [...this.#bans].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ban]) => ban);
  }

  /** Returns whether an address is banned. Called for every address that peers send, so its cost must not grow with the list. */
  isBanned(address: NetAddress): boolean {
    const now = this.#nowSeconds();
    for (const bits of this.#lengths.get(address.network) ?? []) {
      const ban = this.#bans.get(subnetText({ address, bits }));
      if (ban !== undefined && ban.until > now) return true;
    }
    return false;
  }
  /** Returns whether exactly this subnet is banned. */
  has(subnet: Subnet): boolean {
    this.#sweep();
    return this.#bans.has(subnetText(subnet));
  }

  discourage(address: NetAddress): void {
    this.#discouraged.add(padded(address));
    this.discouragedTotal++;
  }
  isDiscouraged(address: NetAddress): boolean {
    return this.#discouraged.has(padded(address));
  }
  /**
   * Returns whether an address is banned or discouraged. This node neither connects to such addresses nor sends them to
   * peers.
   */
  isUnwanted(address: NetAddress): boolean {
    return this.isBanned(address) || this.isDiscouraged(address);
  }

  #store(ban: Ban): void {
    const { address, bits } = ban.subnet;
    this.#bans.set(subnetText(ban.subnet), ban);
    const lengths = this.#lengths.get(address.network);
    if (lengths === undefined) this.#lengths.set(address.network, new Set([bits]));
    else lengths.add(bits);
  }

  #sweep(): void {
    const now = this.#nowSeconds();
    let changed = false;
    for (const [key, { until }] of this.#bans) {
      if (until > now) continue;
      this.#bans.delete(key);
      changed = true;
    }
    if (changed) this.#save();
  }

  #load(path: string): void {
    try {
      const { banned_nets } = JSON.parse(fs.readFileSync(path, 'utf8')) as {
        banned_nets: { address: string; ban_created: number; banned_until: number }[];
      };
      for (const { address, ban_created, banned_until } of banned_nets) {
        const subnet = parseSubnet(address);
        if (subnet !== null) this.#store({ subnet, createdAt: ban_created, until: banned_until });
      }
    } catch (error) {
      this.#warn(`${path} can't be read (${(error as Error).message}). The next ban replaces it.`);
    }
  }

  #save(): void {
    if (this.#path === null) return;
    const banned_nets = [...this.#bans.values()].map(({ subnet, createdAt, until }) => ({
      version: 1,
      ban_created: createdAt,
      banned_until: until,
      address: subnetText(subnet),
    }));
    try {
      replaceFileSync(this.#path, `${JSON.stringify({ banned_nets })}\n`);
    } catch (error) {
      this.#warn(
        `The list of bans can't be saved: ${(error as Error).message}. Check the free space and permissions of the data directory.`,
      );
    }
  }
}

/** Folds network and address into the 32 bytes that the filter needs. */
function padded({ network, bytes }: NetAddress): Uint8Array {
  const all = new Uint8Array(64);
  all.set(bytes);
  all[40] = network.charCodeAt(0);
  all[41] = network.charCodeAt(3);
  const out = new Uint8Array(32);
  for (let i = 0; i < 64; i++) out[i & 31] = (out[i & 31] as number) ^ (all[i] as number);
  return out;
}
