// Curve checks by the system's libsecp256k1 through koffi: the fastest implementation (ECDSA 33 us, Schnorr 34 us), and
// the code that Bitcoin Core trusts. Specification: secp256k1.h, secp256k1_extrakeys.h and secp256k1_schnorrsig.h of
// libsecp256k1 0.1 and later.
//
// Every length is checked here before a pointer is passed, because the library reads as much as the length says.

import type { LibraryHandle } from 'koffi';
import type { Curve } from '../crypto.js';
import { passesEcdsaTests, passesSchnorrTests } from './known-answers.js';
import { koffi } from './koffi.js';
import { isHighS } from './low-s.js';

// Cache of public keys that libsecp256k1 has parsed. Parsing a compressed key takes a square root, an eighth of a
// signature check, and the same keys are parsed again and again: a payment often spends many coins of one address, and
// many transactions come from the same wallet. One cache per thread and form of key.

/** Size of secp256k1_pubkey and secp256k1_xonly_pubkey, the library's own form, valid in this process only. */
const PARSED_BYTES = 64;
const SLOTS = 4_096;

/**
 * Direct-mapped cache. The end of x chooses the slot, and a new key replaces the one in it. A lookup compares all bytes
 * of the key with those in the slot. So keys that an attacker chooses can only slow it down.
 */
class ParsedKeys {
  readonly #keyBytes: number;
  readonly #parse: (to: number, key: Uint8Array) => boolean;
  // Outside of the garbage-collected heap, so that its address is stable.
  readonly #parsed = new Uint8Array(new ArrayBuffer(SLOTS * PARSED_BYTES));
  readonly #base = Number(koffi().address(this.#parsed));
  readonly #keys: Uint8Array;
  readonly #used = new Uint8Array(SLOTS);

  /**
   * @param keyBytes length of the keys: 33 compressed, 32 x-only
   * @param parse writes the parsed form of a key to an address; false if it is not a point
   */
  constructor(keyBytes: number, parse: (to: number, key: Uint8Array) => boolean) {
    this.#keyBytes = keyBytes;
    this.#parse = parse;
    this.#keys = new Uint8Array(SLOTS * keyBytes);
  }

  /**
   * Returns the address of the parsed key, valid until the next call; 0 if it is not a point.
   * @param key as many bytes as the constructor's `keyBytes`
   */
  find(key: Uint8Array): number {
    const size = this.#keyBytes;
    // Choose the slot by the last bytes, which are part of x and practically random.
    const slot = (key[size - 1] | (key[size - 2] << 8)) % SLOTS;
    const address = this.#base + slot * PARSED_BYTES;
    if (this.#used[slot] === 1 && this.#holds(slot, key)) return address;
    // Clear the slot's key first, because a failed parse also overwrites the slot.
    this.#used[slot] = 0;
    if (!this.#parse(address, key)) return 0;
    this.#keys.set(key, slot * size);
    this.#used[slot] = 1;
    return address;
  }

  #holds(slot: number, key: Uint8Array): boolean {
    const at = slot * this.#keyBytes;
    for (let i = 0; i < this.#keyBytes; i++) if (this.#keys[at + i] !== key[i]) return false;
    return true;
  }
}

/** File names, newest first. The number is the version of the library's binary interface; .so.0 is 0.1 and older. */
const LINUX_NAMES = [
  'libsecp256k1.so.7',
  'libsecp256k1.so.6',
  'libsecp256k1.so.5',
  'libsecp256k1.so.2',
  'libsecp256k1.so.1',
  'libsecp256k1.so.0',
];
const DARWIN_DIRECTORIES = ['', '/opt/homebrew/lib/', '/usr/local/lib/'];
const DARWIN_NAMES = ['libsecp256k1.dylib', 'libsecp256k1.5.dylib', 'libsecp256k1.2.dylib', 'libsecp256k1.1.dylib', 'libsecp256k1.0.dylib'];

/**
 * SECP256K1_FLAGS_TYPE_CONTEXT | SECP256K1_FLAGS_BIT_CONTEXT_VERIFY. Old versions need this bit for verifying, newer
 * ones ignore it.
 */
const CONTEXT_VERIFY = 0x0101;

type NativeFunction = ReturnType<LibraryHandle['func']>;

/** Loaded library. `schnorr` is null if it was built without the schnorrsig and extrakeys modules. */
export interface SystemCurve {
  /** File name under which it loaded. */
  readonly name: string;
  readonly ecdsa: Pick<Curve, 'ecdsaVerify' | 'isPoint'>;
  readonly schnorr: Pick<Curve, 'schnorrVerify' | 'tapTweakCheck'> | null;
}

function candidates(): string[] {
  if (process.platform === 'linux') return LINUX_NAMES;
  if (process.platform === 'darwin') return DARWIN_DIRECTORIES.flatMap((directory) => DARWIN_NAMES.map((name) => directory + name));
  return [];
}

function tryFunction(library: LibraryHandle, name: string, args: string[]): NativeFunction | null {
  try {
    return library.func(name, 'int', args);
  } catch {
    return null;
  }
}

/** Sizes of serialised public keys: 02, 03 (33 bytes), 04, 06, 07 (65 bytes). The library checks the rest. */
const COMPRESSED = 33;
const UNCOMPRESSED = 65;
/** Size of an x-only key (BIP-0340). */
const XONLY = 32;

/**
 * Memory outside the garbage-collected heap for all arguments, with addresses that are read once. Passing small arrays
 * makes V8 move each of them out of its heap first, 1 to 2 us per check. Messages longer than MESSAGE_SIZE are read in
 * place.
 *   0    parsed key, uncompressed    128  signature, or output key     320  message, or tweak
 *   64   parsed signature            192  serialised or x-only key
 */
const KEY = 0;
const PARSED = 64;
const SIGNATURE = 128;
const PUBLIC_KEY = 192;
const MESSAGE = 320;
const OUTPUT_KEY = SIGNATURE;
const MESSAGE_SIZE = 32;
const MEMORY_SIZE = 384;

/** Scratch memory of one thread, and its address. */
class Scratch {
  readonly memory = new Uint8Array(new ArrayBuffer(MEMORY_SIZE));
  /** Address as a number: user memory is below 2^53 on every 64-bit system. */
  readonly base = Number(koffi().address(this.memory));
}

function bindEcdsa(library: LibraryHandle, context: number, { memory, base }: Scratch): SystemCurve['ecdsa'] | null {
  const parseKey = tryFunction(library, 'secp256k1_ec_pubkey_parse', ['size_t', 'size_t', 'size_t', 'size_t']);
  const parseSignature = tryFunction(library, 'secp256k1_ecdsa_signature_parse_compact', ['size_t', 'size_t', 'size_t']);
  const normalize = tryFunction(library, 'secp256k1_ecdsa_signature_normalize', ['size_t', 'size_t', 'size_t']);
  const verify = tryFunction(library, 'secp256k1_ecdsa_verify', ['size_t', 'size_t', 'size_t', 'size_t']);
  if (parseKey === null || parseSignature === null || normalize === null || verify === null) return null;
  const parse = (to: number, publicKey: Uint8Array): boolean => {
    memory.set(publicKey, PUBLIC_KEY);
    return parseKey(context, to, base + PUBLIC_KEY, publicKey.length) === 1;
  };
  const known = new ParsedKeys(COMPRESSED, parse);
  // Do not cache uncompressed keys, because parsing them needs no square root.
  const find = (publicKey: Uint8Array): number => {
    if (publicKey.length === COMPRESSED) return known.find(publicKey);
    return publicKey.length === UNCOMPRESSED && parse(base + KEY, publicKey) ? base + KEY : 0;
  };
  return {
    ecdsaVerify: (signature, publicKey, message) => {
      if (signature.length !== 64 || message.length !== 32) return false;
      memory.set(signature, SIGNATURE);
      if (parseSignature(context, base + PARSED, base + SIGNATURE) !== 1) return false;
      const key = find(publicKey);
      if (key === 0) return false;
      // The library refuses high S, consensus does not. Almost all signatures have low S, so normalise only if
      // necessary.
      if (isHighS(signature)) normalize(context, base + PARSED, base + PARSED);
      memory.set(message, MESSAGE);
      return verify(context, base + PARSED, base + MESSAGE, key) === 1;
    },
    isPoint: (publicKey) => find(publicKey) !== 0,
  };
}

function bindSchnorr(library: LibraryHandle, context: number, { memory, base }: Scratch): SystemCurve['schnorr'] {
  const parseXonly = tryFunction(library, 'secp256k1_xonly_pubkey_parse', ['size_t', 'size_t', 'size_t']);
  const tweakCheck = tryFunction(library, 'secp256k1_xonly_pubkey_tweak_add_check', ['size_t', 'size_t', 'int', 'size_t', 'size_t']);
  const verify = tryFunction(library, 'secp256k1_schnorrsig_verify', ['size_t', 'size_t', 'size_t', 'size_t', 'size_t']);
  const verifyLong = tryFunction(library, 'secp256k1_schnorrsig_verify', ['size_t', 'size_t', 'void*', 'size_t', 'size_t']);
  // schnorrsig_verify got its length argument in the same version as sign_custom. Without sign_custom, the library's
  // verify has other parameters.
  const signCustom = tryFunction(library, 'secp256k1_schnorrsig_sign_custom', ['void*', 'void*', 'void*', 'size_t', 'void*', 'void*']);
  if (parseXonly === null || tweakCheck === null || verify === null || verifyLong === null || signCustom === null) return null;
  const known = new ParsedKeys(XONLY, (to, key) => {
    memory.set(key, PUBLIC_KEY);
    return parseXonly(context, to, base + PUBLIC_KEY) === 1;
  });
  return {
    schnorrVerify: (signature, publicKey, message) => {
      const key = signature.length === 64 && publicKey.length === XONLY ? known.find(publicKey) : 0;
      if (key === 0) return false;
      memory.set(signature, SIGNATURE);
      if (message.length > MESSAGE_SIZE) return verifyLong(context, base + SIGNATURE, message, message.length, key) === 1;
      memory.set(message, MESSAGE);
      return verify(context, base + SIGNATURE, base + MESSAGE, message.length, key) === 1;
    },
    tapTweakCheck: (outputKey, parity, internalKey, tweak) => {
      if (outputKey.length !== 32 || tweak.length !== 32) return false;
      const key = internalKey.length === XONLY ? known.find(internalKey) : 0;
      if (key === 0) return false;
      memory.set(outputKey, OUTPUT_KEY);
      memory.set(tweak, MESSAGE);
      return tweakCheck(context, base + OUTPUT_KEY, parity, key, base + MESSAGE) === 1;
    },
  };
}

/** Opens the library that loadSystemCurve uses; null if there is none. */
export function openSystemLibrary(): LibraryHandle | null {
  const curve = loadSystemCurve();
  return curve && koffi().load(curve.name);
}

/** Loads the first libsecp256k1 of this system; null if there is none, or if it lacks even ECDSA. */
export function loadSystemCurve(names: readonly string[] = candidates()): SystemCurve | null {
  for (const name of names) {
    let library: LibraryHandle;
    try {
      library = koffi().load(name);
    } catch {
      continue;
    }
    try {
      const createContext = library.func('secp256k1_context_create', 'size_t', ['unsigned int']);
      // The context is never freed. Verification does not change it.
      const context: number = createContext(CONTEXT_VERIFY);
      const scratch = new Scratch();
      const ecdsa = bindEcdsa(library, context, scratch);
      if (ecdsa === null || !passesEcdsaTests(ecdsa)) continue;
      const schnorr = bindSchnorr(library, context, scratch);
      return { name, ecdsa, schnorr: schnorr !== null && passesSchnorrTests(schnorr) ? schnorr : null };
    } catch {
      // The file is not a usable libsecp256k1. Try the next name.
    }
  }
  return null;
}
