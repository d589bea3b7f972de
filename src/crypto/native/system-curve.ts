// Curve checks by the system's libsecp256k1 through koffi: the quickest at hand (ECDSA 33 us, Schnorr 34 us) and the code that
// Bitcoin Core itself trusts. Called by crypto/native/index.ts, once per thread. Specification: secp256k1.h,
// secp256k1_extrakeys.h and secp256k1_schnorrsig.h of libsecp256k1 0.1 and later.
//
// Every length is checked here before a pointer goes out: the library reads what the length promises.

import koffi, { type LibraryHandle } from 'koffi';
import type { Curve } from '../crypto.js';
import { isHighS } from './low-s.js';

/** The number is the library's binary interface, raised with its releases: newer ones first, .so.0 is 0.1 and what came before. */
const LINUX_NAMES = ['libsecp256k1.so.6', 'libsecp256k1.so.5', 'libsecp256k1.so.2', 'libsecp256k1.so.1', 'libsecp256k1.so.0'];
const DARWIN_DIRECTORIES = ['', '/opt/homebrew/lib/', '/usr/local/lib/'];
const DARWIN_NAMES = ['libsecp256k1.dylib', 'libsecp256k1.5.dylib', 'libsecp256k1.2.dylib', 'libsecp256k1.1.dylib', 'libsecp256k1.0.dylib'];

/** SECP256K1_FLAGS_TYPE_CONTEXT | SECP256K1_FLAGS_BIT_CONTEXT_VERIFY: old versions verify only with this bit, new ones ignore it. */
const CONTEXT_VERIFY = 0x0101;
/** Size of secp256k1_pubkey, secp256k1_xonly_pubkey and secp256k1_ecdsa_signature, the library's opaque parsed forms. */
const OPAQUE_SIZE = 64;

type NativeFunction = ReturnType<LibraryHandle['func']>;

/** What a loaded library offers; `schnorr` is absent when it was built without the schnorrsig and extrakeys modules. */
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

/** Serialised public keys start with 02, 03 (33 bytes), 04, 06, 07 (65 bytes); the library tells the rest. */
function hasKeyLength(publicKey: Uint8Array): boolean {
  return publicKey.length === 33 || publicKey.length === 65;
}

function bindEcdsa(library: LibraryHandle, context: unknown): SystemCurve['ecdsa'] | null {
  const parseKey = tryFunction(library, 'secp256k1_ec_pubkey_parse', ['void*', 'void*', 'const uint8_t*', 'size_t']);
  const parseSignature = tryFunction(library, 'secp256k1_ecdsa_signature_parse_compact', ['void*', 'void*', 'const uint8_t*']);
  const normalize = tryFunction(library, 'secp256k1_ecdsa_signature_normalize', ['void*', 'void*', 'void*']);
  const verify = tryFunction(library, 'secp256k1_ecdsa_verify', ['void*', 'void*', 'const uint8_t*', 'void*']);
  if (parseKey === null || parseSignature === null || normalize === null || verify === null) return null;
  const key = new Uint8Array(new ArrayBuffer(OPAQUE_SIZE));
  const parsed = new Uint8Array(new ArrayBuffer(OPAQUE_SIZE));
  return {
    ecdsaVerify: (signature, publicKey, message) => {
      if (signature.length !== 64 || message.length !== 32 || !hasKeyLength(publicKey)) return false;
      if (parseSignature(context, parsed, signature) !== 1) return false;
      if (parseKey(context, key, publicKey, publicKey.length) !== 1) return false;
      // The library calls high S invalid; consensus does not. Low S is the rule, so a call is saved nearly always.
      if (isHighS(signature)) normalize(context, parsed, parsed);
      return verify(context, parsed, message, key) === 1;
    },
    isPoint: (publicKey) => hasKeyLength(publicKey) && parseKey(context, key, publicKey, publicKey.length) === 1,
  };
}

function bindSchnorr(library: LibraryHandle, context: unknown): SystemCurve['schnorr'] {
  const parseXonly = tryFunction(library, 'secp256k1_xonly_pubkey_parse', ['void*', 'void*', 'const uint8_t*']);
  const tweakCheck = tryFunction(library, 'secp256k1_xonly_pubkey_tweak_add_check', [
    'void*',
    'const uint8_t*',
    'int',
    'void*',
    'const uint8_t*',
  ]);
  const verify = tryFunction(library, 'secp256k1_schnorrsig_verify', ['void*', 'const uint8_t*', 'const uint8_t*', 'size_t', 'void*']);
  // verify got its length argument together with sign_custom: a library without the one has another form of the other.
  const signCustom = tryFunction(library, 'secp256k1_schnorrsig_sign_custom', ['void*', 'void*', 'void*', 'size_t', 'void*', 'void*']);
  if (parseXonly === null || tweakCheck === null || verify === null || signCustom === null) return null;
  const key = new Uint8Array(new ArrayBuffer(OPAQUE_SIZE));
  return {
    schnorrVerify: (signature, publicKey, message) => {
      if (signature.length !== 64 || publicKey.length !== 32) return false;
      if (parseXonly(context, key, publicKey) !== 1) return false;
      return verify(context, signature, message, message.length, key) === 1;
    },
    tapTweakCheck: (outputKey, parity, internalKey, tweak) => {
      if (outputKey.length !== 32 || internalKey.length !== 32 || tweak.length !== 32) return false;
      if (parseXonly(context, key, internalKey) !== 1) return false;
      return tweakCheck(context, outputKey, parity, key, tweak) === 1;
    },
  };
}

/** Loads the first libsecp256k1 that this system has; null when there is none or it lacks even ECDSA. */
export function loadSystemCurve(names: readonly string[] = candidates()): SystemCurve | null {
  for (const name of names) {
    let library: LibraryHandle;
    try {
      library = koffi.load(name);
    } catch {
      continue;
    }
    try {
      const createContext = library.func('secp256k1_context_create', 'void*', ['unsigned int']);
      // Contexts live as long as the thread; verification never changes them.
      const context: unknown = createContext(CONTEXT_VERIFY);
      const ecdsa = bindEcdsa(library, context);
      if (ecdsa !== null) return { name, ecdsa, schnorr: bindSchnorr(library, context) };
    } catch {
      // A file of that name which isn't the library: try the next one.
    }
  }
  return null;
}
