// Payloads of the P2P messages: bytes to plain records and back. Lengths are checked before anything is allocated; what
// Core refuses by misbehaviour (too many entries) is told by TooMany, everything else that doesn't parse by
// DecodeError. Specification: protocol documentation of Bitcoin Core (protocol.h), BIPs 0031, 0037, 0130, 0133, 0152,
// 0155, 0157.
import { ByteReader, DecodeError, readU32 } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { type KnownAddress, type NetAddress, readAddress, readAddressV2, writeAddress, writeAddressV2 } from './net-address.js';
import { MAX_ADDR_TO_SEND, MAX_HEADERS_RESULTS, MAX_INV_SIZE, MAX_LOCATOR_SIZE, MAX_SUBVERSION_LENGTH } from './protocol.js';

/** More entries than the protocol allows: the peer misbehaves. */
export class TooMany extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TooMany';
  }
}

/** The first message of a connection. */
export interface VersionMessage {
  readonly version: number;
  readonly services: bigint;
  /** The peer's clock, seconds since 1970. */
  readonly time: bigint;
  /** How the peer sees us. */
  readonly addressOfReceiver: NetAddress | null;
  readonly addressOfSender: NetAddress | null;
  /** Tells a connection to oneself. */
  readonly nonce: bigint;
  readonly userAgent: string;
  readonly startHeight: number;
  /** BIP-0037: whether transactions should be announced. */
  readonly relay: boolean;
}

export function encodeVersion(message: VersionMessage): Uint8Array {
  const writer = new ByteWriter(128).i32(message.version).u64(message.services).u64(message.time);
  for (const address of [message.addressOfReceiver, message.addressOfSender]) {
    // Since version 106 the services of either side go before its address; ours are the same in both places.
    writer.u64(address === message.addressOfSender ? message.services : 0n);
    writeAddress(writer, address);
  }
  writer
    .u64(message.nonce)
    .varBytes(new TextEncoder().encode(message.userAgent))
    .i32(message.startHeight)
    .u8(message.relay ? 1 : 0);
  return writer.finish();
}

/** Fields after the receiver's address were added over the years: each may be the last. @throws DecodeError */
export function decodeVersion(payload: Uint8Array): VersionMessage {
  const reader = new ByteReader(payload);
  const version = reader.i32();
  const services = reader.u64big();
  const time = reader.i64big();
  reader.skip(8);
  const addressOfReceiver = readAddress(reader);
  let addressOfSender: NetAddress | null = null;
  let nonce = 1n;
  let userAgent = '';
  let startHeight = -1;
  let relay = true;
  if (reader.remaining > 0) {
    reader.skip(8);
    addressOfSender = readAddress(reader);
    nonce = reader.u64big();
  }
  if (reader.remaining > 0) userAgent = latin1(reader.varBytes(MAX_SUBVERSION_LENGTH));
  if (reader.remaining > 0) startHeight = reader.i32();
  if (reader.remaining > 0) relay = reader.u8() !== 0;
  return { version, services, time, addressOfReceiver, addressOfSender, nonce, userAgent, startHeight, relay };
}

/** Printable ASCII that is safe in logs and JSON (Core's SanitizeString): everything else is left out. */
export function sanitized(text: string): string {
  return text.replace(/[^a-zA-Z0-9 .,;_/:?@()-]/g, '');
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** Entry of inv, getdata, notfound. */
export interface InvItem {
  /** A value of INV, or anything a peer makes up. */
  readonly type: number;
  /** 32 bytes, internal order. */
  readonly hash: Uint8Array;
}

export function encodeInv(items: readonly InvItem[]): Uint8Array {
  const writer = new ByteWriter(9 + items.length * 36).compactSize(items.length);
  for (const { type, hash } of items) writer.u32(type).bytes(hash);
  return writer.finish();
}

/** Bytes of an entry. */
export const INV_ENTRY_BYTES = 36;

/** The entries of inv, getdata or notfound as they came, INV_ENTRY_BYTES each; a view. @throws DecodeError; TooMany */
export function invEntries(payload: Uint8Array): Uint8Array {
  const reader = new ByteReader(payload);
  const count = reader.compactSize();
  if (count > MAX_INV_SIZE) throw new TooMany(`message size = ${count}`);
  requireBytes(reader, count * INV_ENTRY_BYTES);
  return reader.bytes(count * INV_ENTRY_BYTES);
}

/** An entry; its hash is a view. @param at where it begins */
export function invItem(entries: Uint8Array, at: number): InvItem {
  return { type: readU32(entries, at), hash: entries.subarray(at + 4, at + INV_ENTRY_BYTES) };
}

/** All of them as records, for tests. @throws DecodeError; TooMany */
export function decodeInv(payload: Uint8Array): InvItem[] {
  const entries = invEntries(payload);
  const items: InvItem[] = [];
  for (let at = 0; at < entries.length; at += INV_ENTRY_BYTES) items.push(invItem(entries, at));
  return items;
}

/** What getheaders and getblocks ask for. */
export interface LocatorMessage {
  /** Hashes from the newest back, 32 bytes each. */
  readonly locator: readonly Uint8Array[];
  /** Where to stop; zeros: as far as allowed. */
  readonly stop: Uint8Array;
}

export function encodeLocator({ locator, stop }: LocatorMessage, version: number): Uint8Array {
  const writer = new ByteWriter(40 + locator.length * 32).i32(version).compactSize(locator.length);
  for (const hash of locator) writer.bytes(hash);
  return writer.bytes(stop).finish();
}

/** @throws DecodeError; TooMany, whereupon Core disconnects */
export function decodeLocator(payload: Uint8Array): LocatorMessage {
  const reader = new ByteReader(payload);
  reader.skip(4);
  const count = reader.compactSize();
  requireBytes(reader, count * 32 + 32);
  if (count > MAX_LOCATOR_SIZE) throw new TooMany(`locator size ${count} > ${MAX_LOCATOR_SIZE}`);
  const locator: Uint8Array[] = [];
  for (let i = 0; i < count; i++) locator.push(reader.hash());
  return { locator, stop: reader.hash() };
}

export function encodeHeaders(headers: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter(9 + headers.length * 81).compactSize(headers.length);
  for (const header of headers) writer.bytes(header).u8(0);
  return writer.finish();
}

/** The 80 bytes of each header; counts of transactions are skipped. @throws DecodeError; TooMany */
export function decodeHeaders(payload: Uint8Array): Uint8Array[] {
  const reader = new ByteReader(payload);
  const count = reader.compactSize();
  if (count > MAX_HEADERS_RESULTS) throw new TooMany(`headers message size = ${count}`);
  requireBytes(reader, count * 81);
  const headers: Uint8Array[] = [];
  for (let i = 0; i < count; i++) {
    headers.push(reader.bytes(80));
    reader.compactSize();
  }
  return headers;
}

/** addr: IPv4 and IPv6 only. */
export function encodeAddr(addresses: readonly KnownAddress[]): Uint8Array {
  const writer = new ByteWriter(9 + addresses.length * 30).compactSize(addresses.length);
  for (const address of addresses) {
    writer.u32(address.time).u64(address.services);
    writeAddress(writer, address);
  }
  return writer.finish();
}

export function encodeAddrV2(addresses: readonly KnownAddress[]): Uint8Array {
  const writer = new ByteWriter(9 + addresses.length * 50).compactSize(addresses.length);
  for (const address of addresses) {
    writer.u32(address.time).compactSize(address.services);
    writeAddressV2(writer, address);
  }
  return writer.finish();
}

/** Addresses of networks that exist today; the rest is left out. @throws DecodeError; TooMany */
export function decodeAddr(payload: Uint8Array): KnownAddress[] {
  return addresses(payload, 30, 'addr', (reader) => ({ time: reader.u32(), services: reader.u64big(), at: readAddress(reader) }));
}

/** The same of BIP-0155. @throws DecodeError; TooMany */
export function decodeAddrV2(payload: Uint8Array): KnownAddress[] {
  return addresses(payload, 9, 'addrv2', (reader) => ({
    time: reader.u32(),
    services: reader.compactSizeBig(),
    at: readAddressV2(reader),
  }));
}

function addresses(
  payload: Uint8Array,
  leastBytes: number,
  name: string,
  read: (reader: ByteReader) => { time: number; services: bigint; at: NetAddress | null },
): KnownAddress[] {
  const reader = new ByteReader(payload);
  const count = reader.compactSize();
  if (count > MAX_ADDR_TO_SEND) throw new TooMany(`${name} message size = ${count}`);
  requireBytes(reader, count * leastBytes);
  const found: KnownAddress[] = [];
  for (let i = 0; i < count; i++) {
    const { at, time, services } = read(reader);
    if (at !== null) found.push({ ...at, time, services });
  }
  return found;
}

export function encodeU64(value: bigint): Uint8Array {
  return new ByteWriter(8).u64(value).finish();
}

/** First eight bytes: a ping's nonce, a feefilter's rate. @throws DecodeError */
export function decodeU64(payload: Uint8Array): bigint {
  return new ByteReader(payload).u64big();
}

/** sendcmpct (BIP-0152). */
export interface SendCmpctMessage {
  /** A byte: 1 for high-bandwidth mode, 0 for low; the rest has no meaning. */
  readonly announce: number;
  readonly version: bigint;
}

export function encodeSendCmpct({ announce, version }: SendCmpctMessage): Uint8Array {
  return new ByteWriter(9).u8(announce).u64(version).finish();
}

export function decodeSendCmpct(payload: Uint8Array): SendCmpctMessage {
  const reader = new ByteReader(payload);
  return { announce: reader.u8(), version: reader.u64big() };
}

/** getcfilters and getcfheaders (BIP-0157). */
export interface FilterRange {
  readonly type: number;
  readonly startHeight: number;
  readonly stop: Uint8Array;
}

export function decodeFilterRange(payload: Uint8Array): FilterRange {
  const reader = new ByteReader(payload);
  return { type: reader.u8(), startHeight: reader.u32(), stop: reader.hash() };
}

/** getcfcheckpt. */
export function decodeFilterCheckpoints(payload: Uint8Array): Omit<FilterRange, 'startHeight'> {
  const reader = new ByteReader(payload);
  return { type: reader.u8(), stop: reader.hash() };
}

function requireBytes(reader: ByteReader, bytes: number): void {
  if (reader.remaining < bytes) throw new DecodeError('message ends early');
}
