// Network addresses: network, bytes and port, in the formats of `addr` (16 bytes), of BIP-0155 (`addrv2`), and as text.
import crypto from 'node:crypto';
import net from 'node:net';
import { type ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import type { ByteWriter } from '../../consensus/bytes/writer.js';

/** Networks of addresses; `onion` is Tor version 3. */
export type NetworkName = 'ipv4' | 'ipv6' | 'onion' | 'i2p' | 'cjdns';

/** BIP-0155: number and address length of each network. Tor version 2 (number 3) is obsolete and skipped. */
const networks: Record<NetworkName, { readonly id: number; readonly length: number }> = {
  ipv4: { id: 1, length: 4 },
  ipv6: { id: 2, length: 16 },
  onion: { id: 4, length: 32 },
  i2p: { id: 5, length: 32 },
  cjdns: { id: 6, length: 16 },
};
/** Networks in Core's order. */
export const NETWORK_NAMES = Object.keys(networks) as NetworkName[];
const networkOfId = new Map(Object.entries(networks).map(([name, { id }]) => [id, name as NetworkName]));
/** Longest address of BIP-0155. A longer one makes the whole message invalid. */
const MAX_ADDRV2_BYTES = 512;

/** Prefix of IPv4 in IPv6, ::ffff:0:0/96. */
const mappedPrefix = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);
/** Prefixes of Tor version 2 in IPv6 (fd87:d87e:eb43::/48) and of internal names, which never leave a node (fd6b:88c0:8724::/48). */
const onionCat = Uint8Array.of(0xfd, 0x87, 0xd8, 0x7e, 0xeb, 0x43);
const internal = Uint8Array.of(0xfd, 0x6b, 0x88, 0xc0, 0x87, 0x24);

/** An address and a port. */
export interface NetAddress {
  readonly network: NetworkName;
  /** 4, 16 or 32 bytes, depending on the network. */
  readonly bytes: Uint8Array;
  readonly port: number;
}

/** An address with its services and the time it was last seen. */
export interface KnownAddress extends NetAddress {
  /** Seconds since 1970. */
  readonly time: number;
  readonly services: bigint;
}

const startsWith = (bytes: Uint8Array, prefix: Uint8Array | readonly number[]): boolean => {
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
};

/** Reads 16 bytes and a big-endian port. @returns null for an obsolete address (Tor version 2, internal names) */
export function readAddress(reader: ByteReader): NetAddress | null {
  const raw = reader.bytes(16).slice();
  const port = readPort(reader);
  if (startsWith(raw, mappedPrefix)) return { network: 'ipv4', bytes: raw.slice(12), port };
  if (startsWith(raw, onionCat) || startsWith(raw, internal)) return null;
  return { network: 'ipv6', bytes: raw, port };
}

/** Writes 16 bytes and the port; zeros for other networks and null. */
export function writeAddress(writer: ByteWriter, address: NetAddress | null): void {
  const raw = new Uint8Array(16);
  if (address?.network === 'ipv4') {
    raw.set(mappedPrefix);
    raw.set(address.bytes, 12);
  } else if (address?.network === 'ipv6') raw.set(address.bytes);
  writer.bytes(raw);
  writePort(writer, address?.port ?? 0);
}

/** Returns whether `addr` can carry the address. */
export function fitsOldForm(address: NetAddress): boolean {
  return address.network === 'ipv4' || address.network === 'ipv6';
}

/**
 * Reads network, address and port of BIP-0155.
 * @returns null for an unknown network, or bytes that do not fit it
 * @throws DecodeError
 */
export function readAddressV2(reader: ByteReader): NetAddress | null {
  const id = reader.u8();
  const length = reader.compactSize();
  if (length > MAX_ADDRV2_BYTES) throw new DecodeError(`Address too long: ${length} > ${MAX_ADDRV2_BYTES}`);
  const bytes = reader.bytes(length).slice();
  const port = readPort(reader);
  const network = networkOfId.get(id);
  if (network === undefined || bytes.length !== networks[network].length) return null;
  // Addresses of one network embedded in another are not allowed in BIP-0155.
  if (network === 'ipv6' && (startsWith(bytes, mappedPrefix) || startsWith(bytes, onionCat) || startsWith(bytes, internal))) return null;
  if (network === 'cjdns' && bytes[0] !== 0xfc) return null;
  return { network, bytes, port };
}

/** Writes network, address and port of BIP-0155. */
export function writeAddressV2(writer: ByteWriter, address: NetAddress): void {
  writer.u8(networks[address.network].id);
  writer.varBytes(address.bytes);
  writePort(writer, address.port);
}

function readPort(reader: ByteReader): number {
  return (reader.u8() << 8) | reader.u8();
}

function writePort(writer: ByteWriter, port: number): void {
  writer.u8(port >> 8);
  writer.u8(port & 0xff);
}

/** Returns a map key of address and port. */
export function addressKey(address: NetAddress): string {
  return `${address.network}/${Buffer.from(address.bytes).toString('latin1')}/${address.port}`;
}

/** Returns a map key of the address without its port. */
export function hostKey(address: NetAddress): string {
  return `${address.network}/${Buffer.from(address.bytes).toString('latin1')}`;
}

export function hostText({ network, bytes }: NetAddress): string {
  if (network === 'ipv4') return bytes.join('.');
  if (network === 'onion') {
    const checksum = crypto.createHash('sha3-256').update('.onion checksum').update(bytes).update(Uint8Array.of(3)).digest();
    return `${base32(Buffer.concat([bytes, checksum.subarray(0, 2), Uint8Array.of(3)]))}.onion`;
  }
  if (network === 'i2p') return `${base32(bytes)}.b32.i2p`;
  return ipv6Text(bytes);
}

/** Returns host and port as text; IPv6 in brackets. */
export function addressText(address: NetAddress): string {
  const host = hostText(address);
  return host.includes(':') ? `[${host}]:${address.port}` : `${host}:${address.port}`;
}

/** Returns the text of an IPv6 address (RFC 5952). */
function ipv6Text(bytes: Uint8Array): string {
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push(((bytes[i] as number) << 8) | (bytes[i + 1] as number));
  let from = -1;
  let best = 1;
  for (let i = 0; i < 8; i++) {
    let run = 0;
    while (i + run < 8 && groups[i + run] === 0) run++;
    if (run > best) {
      best = run;
      from = i;
    }
  }
  const text = (part: number[]) => part.map((group) => group.toString(16)).join(':');
  if (from < 0) return text(groups);
  return `${text(groups.slice(0, from))}::${text(groups.slice(from + best))}`;
}

const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Alphabet[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + base32Alphabet[(held << (5 - bits)) & 31] : text;
}

function fromBase32(text: string): Uint8Array | null {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text.toLowerCase()) {
    const value = base32Alphabet.indexOf(letter);
    if (value < 0) return null;
    held = (held << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
      held &= (1 << bits) - 1;
    }
  }
  return Uint8Array.from(bytes);
}

const isI2p = (host: string): boolean => /^[a-z2-7]{52}\.b32\.i2p$/i.test(host);

/** Parses a literal address (no names). @returns null if the text is none */
export function parseHost(text: string, port: number): NetAddress | null {
  const host = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (net.isIPv4(host)) return { network: 'ipv4', bytes: Uint8Array.from(host.split('.').map(Number)), port };
  if (net.isIPv6(host) && !host.includes('%')) return fromIpv6(ipv6Bytes(host), port);
  if (host.length === 62 && host.toLowerCase().endsWith('.onion')) {
    const raw = fromBase32(host.slice(0, 56));
    if (raw === null || raw.length !== 35) return null;
    const address: NetAddress = { network: 'onion', bytes: raw.slice(0, 32), port };
    return hostText(address) === host.toLowerCase() ? address : null;
  }
  if (isI2p(host)) {
    const raw = fromBase32(host.slice(0, 52));
    return raw === null || raw.length !== 32 ? null : { network: 'i2p', bytes: raw, port };
  }
  return null;
}

function fromIpv6(bytes: Uint8Array, port: number): NetAddress | null {
  if (startsWith(bytes, mappedPrefix)) return { network: 'ipv4', bytes: bytes.slice(12), port };
  if (startsWith(bytes, onionCat) || startsWith(bytes, internal)) return null;
  return { network: 'ipv6', bytes, port };
}

function ipv6Bytes(host: string): Uint8Array {
  let text = host;
  const lastColon = text.lastIndexOf(':');
  const tail = text.slice(lastColon + 1);
  if (tail.includes('.')) {
    const [a, b, c, d] = tail.split('.').map(Number) as [number, number, number, number];
    text = `${text.slice(0, lastColon + 1)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  }
  const [left = '', right] = text.split('::');
  const head = left === '' ? [] : left.split(':');
  const rest = right === undefined || right === '' ? [] : right.split(':');
  const gap = right === undefined ? 0 : 8 - head.length - rest.length;
  const groups = [...head, ...new Array<string>(gap).fill('0'), ...rest].map((group) => Number.parseInt(group, 16));
  const bytes = new Uint8Array(16);
  groups.forEach((group, i) => {
    bytes[i * 2] = group >> 8;
    bytes[i * 2 + 1] = group & 0xff;
  });
  return bytes;
}

/**
 * Splits `host`, `host:port`, `[v6]:port`, or a bare IPv6 address. I2P addresses have port 0 unless the text has
 * another one.
 * @returns null for an invalid port
 */
export function splitHostPort(text: string, defaultPort: number): { host: string; port: number } | null {
  const colon = text.lastIndexOf(':');
  const bracketed = text.startsWith('[') && text[colon - 1] === ']';
  const hasPort = colon > 0 && (bracketed || text.indexOf(':') === colon);
  if (!hasPort) {
    const host = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
    return { host, port: isI2p(host) ? 0 : defaultPort };
  }
  const digits = text.slice(colon + 1);
  const port = Number(digits);
  const host = text.slice(0, colon);
  if (!/^\d{1,5}$/.test(digits) || (port === 0 && !isI2p(host)) || port > 65535) return null;
  return { host: bracketed ? host.slice(1, -1) : host, port };
}

/** Returns whether the address is loopback or in 0.0.0.0/8. */
export function isLocal({ network, bytes }: NetAddress): boolean {
  if (network === 'ipv4') return bytes[0] === 127 || bytes[0] === 0;
  return network === 'ipv6' && bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
}

/** IPv4 prefixes that the Internet does not route: [first bytes, bits]. RFCs 1918, 2544, 3927, 6598, 5737, multicast and reserved. */
// biome-ignore format: a table
const unroutable4: readonly (readonly [number[], number])[] = [
  [[0], 8], [[10], 8], [[127], 8], [[192, 168], 16], [[172, 16], 12], [[198, 18], 15], [[169, 254], 16], [[100, 64], 10],
  [[192, 0, 2], 24], [[198, 51, 100], 24], [[203, 0, 113], 24], [[255, 255, 255, 255], 32],
];
/** IPv6 prefixes that the Internet does not route: RFCs 3849, 4862, 4193, 4843, 7343. */
// biome-ignore format: a table
const unroutable6: readonly (readonly [number[], number])[] = [
  [[0x20, 0x01, 0x0d, 0xb8], 32], [[0xfe, 0x80, 0, 0, 0, 0, 0, 0], 64], [[0xfc], 7], [[0x20, 0x01, 0x00, 0x10], 28], [[0x20, 0x01, 0x00, 0x20], 28],
];

/** Returns whether bytes start with the given number of bits of a prefix. */
export function matchesPrefix(bytes: Uint8Array, prefix: Uint8Array | readonly number[], bits: number): boolean {
  const whole = bits >> 3;
  for (let i = 0; i < whole; i++) if (bytes[i] !== (prefix[i] ?? 0)) return false;
  const rest = bits & 7;
  if (rest === 0) return true;
  const mask = (0xff << (8 - rest)) & 0xff;
  return ((bytes[whole] as number) & mask) === ((prefix[whole] ?? 0) & mask);
}

/** Returns whether the address can be reached from anywhere in its network. */
export function isRoutable(address: NetAddress): boolean {
  const { network, bytes } = address;
  if (network === 'ipv4') return !unroutable4.some(([prefix, bits]) => matchesPrefix(bytes, prefix, bits));
  if (network !== 'ipv6') return true;
  if (isLocal(address) || bytes.every((byte) => byte === 0)) return false;
  return !unroutable6.some(([prefix, bits]) => matchesPrefix(bytes, prefix, bits));
}

/** Returns the IPv4 address embedded in IPv6 by 6to4, Teredo or NAT64, as four bytes; null if there is none. */
export function linkedIpv4(bytes: Uint8Array): Uint8Array | null {
  if (startsWith(bytes, [0x20, 0x02])) return bytes.slice(2, 6);
  if (startsWith(bytes, [0x20, 0x01, 0, 0])) return bytes.slice(12).map((byte) => ~byte & 0xff);
  if (startsWith(bytes, [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])) return bytes.slice(12);
  return null;
}

/**
 * Returns the network group of an address (Core's GetGroup). Outbound peers come from different groups, so an attacker
 * needs addresses in many of them. /16 of IPv4, /32 of IPv6 (/36 of he.net), 4 bits of other networks. All local
 * addresses form one group, and all unroutable ones another.
 */
export function groupOf(address: NetAddress): string {
  const { network, bytes } = address;
  if (isLocal(address)) return 'local';
  if (!isRoutable(address)) return 'unroutable';
  const v4 = network === 'ipv4' ? bytes : network === 'ipv6' ? linkedIpv4(bytes) : null;
  if (v4 !== null) return `ipv4/${v4[0]}.${v4[1]}`;
  if (network !== 'ipv6') return `${network}/${(bytes[0] as number) >> 4}`;
  const he = startsWith(bytes, [0x20, 0x01, 0x04, 0x70]);
  const head = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  return `ipv6/${head}${he ? ((bytes[4] as number) >> 4).toString(16) : ''}`;
}
