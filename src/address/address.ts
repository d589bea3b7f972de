// Converts between addresses and output scripts: P2PKH and P2SH in Base58Check, witness programs in Bech32 or Bech32m
// (BIP-0173, BIP-0350). Accepts what Core 0.21.1 accepts. Error texts are those of later versions.

import { scriptHashScript, witnessProgramScript } from '../consensus/script/build-script.js';
import { publicKeyHashScript } from '../consensus/script/templates.js';
import type { Hashes } from '../crypto/crypto.js';
import { createPureHashes } from '../crypto/pure.js';
import { solve } from '../policy/script-type.js';
import type { AddressParams } from './address-params.js';
import { decodeBase58, decodeBase58Check, encodeBase58Check } from './base58.js';
import { type Bech32Data, bytesToSymbols, decodeBech32, encodeBech32, symbolsToBytes } from './bech32.js';
import { locateBech32Errors } from './bech32-errors.js';

export type AddressKind =
  | 'pubkeyhash'
  | 'scripthash'
  | 'witness_v0_keyhash'
  | 'witness_v0_scripthash'
  | 'witness_v1_taproot'
  | 'anchor'
  | 'witness_unknown';

/** Decoded address: its output script, and the hash or witness program that it contains. */
export interface DecodedAddress {
  readonly kind: AddressKind;
  /** Output script that pays the address. */
  readonly script: Uint8Array;
  /** Hash (20 bytes) or witness program. */
  readonly payload: Uint8Array;
  /** Witness version; -1 for P2PKH and P2SH addresses. */
  readonly witnessVersion: number;
}

/** Error of a text that is not an address on this network. */
export interface AddressError {
  readonly error: string;
  /** Indexes of characters that are probably wrong; only for Bech32. */
  readonly locations?: readonly number[];
}

const HASH_SIZE = 20;
const MIN_PROGRAM_SIZE = 2;
const MAX_PROGRAM_SIZE = 40;
const MAX_WITNESS_VERSION = 16;
// Largest Base58 text, in decoded bytes, that is decoded to find the right error text for an invalid address.
const ERROR_BASE58_SIZE = 100;

const PURE_HASHES = createPureHashes();

/**
 * Returns the address of an output script.
 * @returns null for scripts without an address (bare keys and multisig, data, anything nonstandard)
 */
export function encodeAddress(script: Uint8Array, params: AddressParams, hashes: Hashes = PURE_HASHES): string | null {
  const { type, solutions } = solve(script);
  switch (type) {
    case 'pubkeyhash':
      return encodePublicKeyHash(solutions[0], params, hashes);
    case 'scripthash':
      return encodeScriptHash(solutions[0], params, hashes);
    case 'witness_v0_keyhash':
    case 'witness_v0_scripthash':
      return encodeWitnessProgram(0, solutions[0], params);
    case 'witness_v1_taproot':
      return encodeWitnessProgram(1, solutions[0], params);
    case 'anchor':
    case 'witness_unknown':
      return encodeWitnessProgram(solutions[0][0], solutions[1], params);
    default:
      return null;
  }
}

/** Returns the P2PKH address. @param hash HASH160 of a public key */
export function encodePublicKeyHash(hash: Uint8Array, params: AddressParams, hashes: Hashes = PURE_HASHES): string {
  return encodeBase58Check(withVersion(params.base58.p2pkh, hash), hashes);
}

/** Returns the P2SH address. @param hash HASH160 of a redeem script */
export function encodeScriptHash(hash: Uint8Array, params: AddressParams, hashes: Hashes = PURE_HASHES): string {
  return encodeBase58Check(withVersion(params.base58.p2sh, hash), hashes);
}

/** Returns the address of a witness program. @param version 0 to 16 @param program 2 to 40 bytes */
export function encodeWitnessProgram(version: number, program: Uint8Array, params: AddressParams): string {
  const data = bytesToSymbols(program);
  const symbols = new Uint8Array(1 + data.length);
  symbols[0] = version;
  symbols.set(data, 1);
  return encodeBech32(params.bech32Hrp, symbols, version === 0 ? 'bech32' : 'bech32m');
}

/** Decodes an address of one network. */
export function decodeAddress(text: string, params: AddressParams, hashes: Hashes = PURE_HASHES): DecodedAddress | AddressError {
  // No text is valid in both encodings. A Base58 text that begins like a segwit address of this network has another
  // version byte.
  if (text.slice(0, params.bech32Hrp.length).toLowerCase() === params.bech32Hrp) return readSegwit(text, params);
  const data = decodeBase58Check(text, 1 + HASH_SIZE, hashes);
  return (data && base58Destination(data, params)) ?? { error: describeBase58(text, data, params) };
}

function readSegwit(text: string, { bech32Hrp }: AddressParams): DecodedAddress | AddressError {
  const bech = decodeBech32(text);
  if (bech === null) return locateBech32Errors(text);
  if (bech.symbols.length === 0) return { error: 'Empty Bech32 data section' };
  if (bech.hrp === bech32Hrp) return segwitDestination(bech);
  return { error: `Invalid or unsupported prefix for Segwit (Bech32) address (expected ${bech32Hrp}, got ${bech.hrp}).` };
}

function base58Destination(data: Uint8Array, params: AddressParams): DecodedAddress | null {
  if (data.length !== 1 + HASH_SIZE) return null;
  const payload = data.slice(1);
  if (data[0] === params.base58.p2pkh) {
    return { kind: 'pubkeyhash', script: publicKeyHashScript(payload), payload, witnessVersion: -1 };
  }
  if (data[0] === params.base58.p2sh) {
    return { kind: 'scripthash', script: scriptHashScript(payload), payload, witnessVersion: -1 };
  }
  return null;
}

function segwitDestination(bech: Bech32Data): DecodedAddress | AddressError {
  const version = bech.symbols[0];
  if (version === 0 && bech.encoding !== 'bech32') return { error: 'Version 0 witness address must use Bech32 checksum' };
  if (version !== 0 && bech.encoding !== 'bech32m') {
    return { error: 'Version 1+ witness address must use Bech32m checksum' };
  }
  const payload = symbolsToBytes(bech.symbols, 1);
  if (payload === null) return { error: 'Invalid padding in Bech32 data section' };
  const bytes = () => `${payload.length} ${payload.length === 1 ? 'byte' : 'bytes'}`;
  if (version === 0 && payload.length !== 20 && payload.length !== 32) {
    return { error: `Invalid Bech32 v0 address program size (${bytes()}), per BIP141` };
  }
  if (version > MAX_WITNESS_VERSION) return { error: 'Invalid Bech32 address witness version' };
  if (payload.length < MIN_PROGRAM_SIZE || payload.length > MAX_PROGRAM_SIZE) {
    return { error: `Invalid Bech32 address program size (${bytes()})` };
  }
  return {
    kind: witnessKind(version, payload),
    script: witnessProgramScript(version, payload),
    payload,
    witnessVersion: version,
  };
}

function witnessKind(version: number, payload: Uint8Array): AddressKind {
  if (version === 0) return payload.length === 20 ? 'witness_v0_keyhash' : 'witness_v0_scripthash';
  if (version === 1 && payload.length === 2 && payload[0] === 0x4e && payload[1] === 0x73) return 'anchor';
  return version === 1 && payload.length === 32 ? 'witness_v1_taproot' : 'witness_unknown';
}

function describeBase58(text: string, data: Uint8Array | null, params: AddressParams): string {
  if (data === null) {
    return decodeBase58(text, ERROR_BASE58_SIZE) === null
      ? 'Invalid or unsupported Segwit (Bech32) or Base58 encoding.'
      : 'Invalid checksum or length of Base58 address (P2PKH or P2SH)';
  }
  const known = data[0] === params.base58.p2pkh || data[0] === params.base58.p2sh;
  return known ? 'Invalid length for Base58 address (P2PKH or P2SH)' : 'Invalid or unsupported Base58-encoded address.';
}

function withVersion(version: number, payload: Uint8Array): Uint8Array {
  const data = new Uint8Array(1 + payload.length);
  data[0] = version;
  data.set(payload, 1);
  return data;
}
