// Reads fields that inputs and outputs have in common: key paths, scripts, raw fields. Core: script/sign.h, psbt.h.
import type { KeyOrigin, OriginKey } from '../address/descriptor/expansion.js';
import { hashKey, toHex } from '../consensus/bytes/hex.js';
import { ByteReader } from '../consensus/bytes/reader.js';
import { isValidPublicKeySize } from '../consensus/script/encoding.js';
import { PROPRIETARY } from './field-types.js';
import { fieldKey, type RawField, type TapKeyPath } from './psbt.js';
import { failRead, type PsbtReader } from './psbt-reader.js';

/** Kinds of maps in a PSBT, as Core's messages name them. */
export type MapName = 'global' | 'input' | 'output';

/** Reads a map up to its separator, one field per step, the separator too. Calls `field` with each key; the callback reads the value. */
export function* readMap(reader: PsbtReader, name: MapName, field: (key: Uint8Array) => void): Generator<void, void> {
  const seen = new Set<string>();
  while (!reader.isEmpty) {
    yield;
    const key = reader.varBytes();
    if (key.length === 0) return;
    if (reader.later) {
      // In release 32, a type is a CompactSize number of one to nine bytes. All known types have one byte.
      reader.withStreamErrors(() => new ByteReader(key).compactSize());
      const id = fieldKey(key, reader.crypto);
      if (seen.has(id)) failRead(`Duplicate Key, ${name} key "${toHex(key)}" already provided`);
      seen.add(id);
    }
    field(key);
  }
  failRead(`Separator is missing at the end of ${name === 'global' ? 'the global' : `an ${name}`} map`);
}

/**
 * Refuses a key that does not have the given size.
 * @param name Core's name of the type
 * @param older message before release 32
 */
export function checkKeySize(reader: PsbtReader, key: Uint8Array, size: number, name: string, older: string): void {
  if (key.length !== size) failRead(reader.later ? `Size of key was not ${size} for the type ${name}` : older);
}

/**
 * Checks a field that may occur once and whose key is only its type.
 * @param name Core's name of the type since release 32; duplicate and longKey are its earlier names
 */
export function checkSingleField(
  reader: PsbtReader,
  seen: Set<number>,
  key: Uint8Array,
  name: string,
  duplicate: string,
  longKey: string,
): void {
  checkKeySize(reader, key, reader.later ? 1 : key.length, name, '');
  const type = key[0];
  if (key.length === 1 && seen.has(type)) failRead(`Duplicate Key, ${duplicate} already provided`);
  if (key.length !== 1) failRead(`${longKey} key is more than one byte type`);
  seen.add(type);
}

/** Reads the public key after the type. @param what kind of field, for the error message */
export function readPublicKey(reader: PsbtReader, key: Uint8Array, what: string): Uint8Array {
  if (key.length !== 34 && key.length !== 66) failRead(`Size of key was not the expected size for the type ${what}`);
  const publicKey = key.subarray(1);
  if (!isPublicKey(reader, publicKey)) failRead('Invalid pubkey');
  return publicKey;
}

export function isPublicKey(reader: PsbtReader, bytes: Uint8Array): boolean {
  return isValidPublicKeySize(bytes) && reader.crypto.isPoint(bytes);
}

/** Reads the size of a fingerprint with its path. */
export function readOriginSize(reader: PsbtReader): number {
  return checkOriginSize(reader.compactSize());
}

function checkOriginSize(size: number): number {
  return size % 4 !== 0 || size <= 0 ? failRead('Invalid length for HD key path') : size;
}

/** Reads a fingerprint and a path of this total size. */
function readOrigin(reader: PsbtReader, size: number): KeyOrigin {
  checkOriginSize(size);
  const fingerprint = reader.bytes(4);
  const path: number[] = [];
  for (let at = 4; at < size; at += 4) path.push(reader.u32());
  return { fingerprint, path };
}

export function readKeyPath(reader: PsbtReader, key: Uint8Array, paths: Map<string, OriginKey>): void {
  const publicKey = readPublicKey(reader, key, 'BIP32 keypath');
  const id = hashKey(publicKey);
  if (paths.has(id)) failRead('Duplicate Key, pubkey derivation path already provided');
  paths.set(id, { publicKey, origin: readOrigin(reader, reader.compactSize()) });
}

/** Reads a taproot key with its origin and leaf hashes. @param where "input" or "output", for error messages */
export function readTapKeyPath(reader: PsbtReader, key: Uint8Array, where: string, paths: Map<string, TapKeyPath>): void {
  const id = hashKey(key.subarray(1, 65));
  const name = `${where === 'input' ? 'Input' : 'Output'} Taproot BIP32`;
  if (key.length === 33 && paths.has(id)) failRead(`Duplicate Key, ${where} Taproot BIP32 keypath already provided`);
  checkKeySize(reader, key, 33, `${name} Keypath`, `${name} keypath key is not at 33 bytes`);
  const size = reader.compactSize();
  const start = reader.offset;
  const leafHashes: Uint8Array[] = [];
  for (let left = reader.compactSize(); left > 0; left--) leafHashes.push(reader.bytes(32));
  const hashesSize = reader.offset - start;
  if (hashesSize > size) failRead(`${name} keypath has an invalid length`);
  paths.set(id, { publicKey: key.subarray(1), leafHashes, origin: readOrigin(reader, size - hashesSize) });
}

/** Decodes the key of a proprietary field. @throws DecodeError */
export function proprietaryKey(key: Uint8Array): { readonly identifier: Uint8Array; readonly subtype: number } {
  const reader = new ByteReader(key);
  reader.u8();
  return { identifier: reader.varBytes(), subtype: reader.compactSize() };
}

/** Stores a field byte for byte. @param read reads the value of the field, after its size */
export function readRaw(
  reader: PsbtReader,
  key: Uint8Array,
  unknown: Map<string, RawField>,
  read: () => Uint8Array = () => reader.varBytes(),
): Uint8Array {
  const id = fieldKey(key, reader.crypto);
  if (unknown.has(id)) failRead('Duplicate Key, key for unknown value already provided');
  if (reader.later && key[0] === PROPRIETARY) reader.withStreamErrors(() => proprietaryKey(key));
  const value = read();
  unknown.set(id, { key, value });
  return value;
}
