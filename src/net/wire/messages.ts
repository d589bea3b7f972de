// Payloads of P2P messages: bytes to records and back. Lengths are checked before memory is allocated. Too many
// entries, which Core punishes, throw TooMany; everything else that does not parse throws DecodeError. Specification:
// Bitcoin Core's protocol.h, BIPs 0031, 0037, 0130, 0133, 0152, 0155, 0157.
import { ByteReader, DecodeError, readU32 } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { type KnownAddress, type NetAddress, readAddress, readAddressV2, writeAddress, writeAddressV2 } from './net-address.js';
import { MAX_ADDR_TO_SEND, MAX_HEADERS_RESULTS, MAX_INV_SIZE, MAX_LOCATOR_SIZE, MAX_SUBVERSION_LENGTH } from './protocol.js';

/** The message has more entries than the protocol allows, which is misbehaviour. */
export class TooMany extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TooMany';
  }
}

/** Content of version. */
export interface VersionMessage {
  readonly version: number;
  readonly services: bigint;
  /** The peer's clock, seconds since 1970. */
  readonly time: bigint;
  /** Address of the receiver as the peer sees it. */
  readonly addressOfReceiver: NetAddress | null;
  readonly addressOfSender: NetAddress | null;
  /** Random number by which a node detects a connection to itself. */
  readonly nonce: bigint;
  readonly userAgent: string;
  readonly startHeight: number;
  /** BIP-0037: whether transactions should be announced. */
  readonly relay: boolean;
}

export function encodeVersion(message: VersionMessage): Uint8Array {
  const writer = new ByteWriter(128).i32(message.version).u64(message.services).u64(message.time);
  for (const address of [message.addressOfReceiver, message.addressOfSender]) {
    // Since version 106 the services precede each address. Both places contain this node's services.
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

/** Decodes version. Fields after the receiver's address were added over the years, so each may be the last. @throws DecodeError */
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

/** Removes all characters except printable ASCII that is safe in logs and JSON (Core's SanitizeString). */
export function sanitized(text: string): string {
  return text.replace(/[^a-zA-Z0-9 .,;_/:?@()-]/g, '');
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** Entry of inv, getdata and notfound. */
export interface InvItem {
  /** A value of INV, or any number that a peer sends. */
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

/** Returns a view of the entries of inv, getdata or notfound, INV_ENTRY_BYTES each. @throws DecodeError; TooMany */
export function invEntries(payload: Uint8Array): Uint8Array {
  const reader = new ByteReader(payload);
  const count = reader.compactSize();
  if (count > MAX_INV_SIZE) throw new TooMany(`message size = ${count}`);
  requireBytes(reader, count * INV_ENTRY_BYTES);
  return reader.bytes(count * INV_ENTRY_BYTES);
}

/** Returns an entry; its hash is a view. @param at offset of the entry */
export function invItem(entries: Uint8Array, at: number): InvItem {
  return { type: readU32(entries, at), hash: entries.subarray(at + 4, at + INV_ENTRY_BYTES) };
}

/** Returns all entries as records, for tests. @throws DecodeError; TooMany */
export function decodeInv(payload: Uint8Array): InvItem[] {
  const entries = invEntries(payload);
  const items: InvItem[] = [];
  for (let at = 0; at < entries.length; at += INV_ENTRY_BYTES) items.push(invItem(entries, at));
  return items;
}

/** Content of getheaders and getblocks. */
export interface LocatorMessage {
  /** Hashes from the newest block back, 32 bytes each. */
  readonly locator: readonly Uint8Array[];
  /** Hash to stop at; zeros: as far as allowed. */
  readonly stop: Uint8Array;
}

export function encodeLocator({ locator, stop }: LocatorMessage, version: number): Uint8Array {
  const writer = new ByteWriter(40 + locator.length * 32).i32(version).compactSize(locator.length);
  for (const hash of locator) writer.bytes(hash);
  return writer.bytes(stop).finish();
}

/** @throws DecodeError; TooMany, after which Core disconnects */
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

/** Returns the 80 bytes of each header. Transaction counts are skipped. @throws DecodeError; TooMany */
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

/** Encodes addr, for IPv4 and IPv6 only. */
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

/** Decodes addr. Addresses of obsolete networks are left out. @throws DecodeError; TooMany */
export function decodeAddr(payload: Uint8Array): KnownAddress[] {
  return addresses(payload, 30, 'addr', (reader) => ({ time: reader.u32(), services: reader.u64big(), at: readAddress(reader) }));
}

/** Decodes addrv2 (BIP-0155). @throws DecodeError; TooMany */
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

/** Decodes the first eight bytes: a ping's nonce, or a feefilter's rate. @throws DecodeError */
export function decodeU64(payload: Uint8Array): bigint {
  return new ByteReader(payload).u64big();
}

/** Content of sendcmpct (BIP-0152). */
export interface SendCmpctMessage {
  /** 1: high-bandwidth mode, 0: low-bandwidth mode; other values have no meaning. */
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

/** Content of getcfilters and getcfheaders (BIP-0157). */
export interface FilterRange {
  readonly type: number;
  readonly startHeight: number;
  readonly stop: Uint8Array;
}

export function decodeFilterRange(payload: Uint8Array): FilterRange {
  const reader = new ByteReader(payload);
  return { type: reader.u8(), startHeight: reader.u32(), stop: reader.hash() };
}

/** Decodes getcfcheckpt. */
export function decodeFilterCheckpoints(payload: Uint8Array): Omit<FilterRange, 'startHeight'> {
  const reader = new ByteReader(payload);
  return { type: reader.u8(), stop: reader.hash() };
}

function requireBytes(reader: ByteReader, bytes: number): void {
  if (reader.remaining < bytes) throw new DecodeError('message ends early');
}
