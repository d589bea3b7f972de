// Checks which addresses may connect (-rpcallowip) and which methods a user may call (-rpcwhitelist).
import { BlockList, isIPv6 } from 'node:net';
import type { HttpSubnet, HttpWhitelist } from '../options.js';

/** Addresses that may connect: loopback, and the given subnets. */
export class AddressFilter {
  readonly #list = new BlockList();
  readonly #loopbackOnly: boolean;

  constructor(allow: readonly HttpSubnet[]) {
    this.#loopbackOnly = allow.length === 0;
    for (const { address, prefix } of allow) this.#list.addSubnet(address, prefix, address.includes(':') ? 'ipv6' : 'ipv4');
  }

  /** @param address 4 or 16 bytes, network order */
  allows(address: Uint8Array): boolean {
    if (isLoopback(address)) return true;
    const v4 = asV4(address);
    if (v4) {
      return !this.#loopbackOnly && this.#list.check(v4.join('.'), 'ipv4');
    }
    if (address.byteLength !== 16 || this.#loopbackOnly) return false;
    const groups: string[] = [];
    for (let i = 0; i < 16; i += 2) groups.push(((address[i] << 8) | address[i + 1]).toString(16));
    return this.#list.check(groups.join(':'), 'ipv6');
  }
}

/**
 * Returns whether an address is in 127.0.0.0/8 (also mapped to IPv6) or is ::1.
 * @param address 4 or 16 bytes, network order
 */
export function isLoopback(address: Uint8Array): boolean {
  const v4 = asV4(address);
  if (v4) return v4[0] === 127;
  return address.byteLength === 16 && address[15] === 1 && address.subarray(0, 15).every((byte) => byte === 0);
}

/** Returns an IPv4 address that has 4 bytes or is mapped to IPv6 (::ffff:a.b.c.d), or null. */
function asV4(address: Uint8Array): Uint8Array | null {
  if (address.byteLength === 4) return address;
  if (address.byteLength !== 16) return null;
  for (let i = 0; i < 10; i++) if (address[i] !== 0) return null;
  return address[10] === 0xff && address[11] === 0xff ? address.subarray(12) : null;
}

/** Converts the text of a socket's address to 4 or 16 bytes. */
export function addressBytes(text: string | undefined): Uint8Array {
  const [, ...v4] = /(?:^|:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text ?? '') ?? [];
  if (v4.length > 0) return Uint8Array.from(v4.map(Number));
  const bytes = new Uint8Array(16);
  if (!text || !isIPv6(text)) return bytes;
  const [left = '', right] = text.split('%')[0].split('::');
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const head = groups(left);
  const tail = right === undefined ? [] : groups(right);
  const all = [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  all.forEach((group, i) => {
    bytes[2 * i] = group >> 8;
    bytes[2 * i + 1] = group & 255;
  });
  return bytes;
}

/** Methods that each user may call. */
export class MethodFilter {
  readonly #users = new Map<string, ReadonlySet<string>>();
  readonly #others: ReadonlySet<string> | null;

  constructor(whitelist: HttpWhitelist) {
    for (const [user, methods] of whitelist.users) this.#users.set(user, new Set(methods));
    this.#others = whitelist.refuseOthers ? new Set() : null;
  }

  /** Returns the methods that a user may call; null: all. */
  allowed(user: string): ReadonlySet<string> | null {
    return this.#users.get(user) ?? this.#others;
  }
}
