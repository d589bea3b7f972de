// Makes signatures by the system's libsecp256k1 through koffi. Specification: secp256k1.h, secp256k1_extrakeys.h and
// secp256k1_schnorrsig.h of libsecp256k1 0.2 and later.
//
// Private keys go through scratch memory that is wiped before a call returns, also after a failure.
import { randomBytes } from 'node:crypto';
import type { LibraryHandle } from 'koffi';
import type { Signer } from '../schnorr-signer.js';
import { koffi } from './koffi.js';
import { openSystemLibrary } from './system-curve.js';

/** SECP256K1_FLAGS_TYPE_CONTEXT with the bits for verifying and signing, which newer versions ignore. */
const CONTEXT_SIGN = 0x0301;
const SCALAR = 32;
const SIGNATURE = 64;

/**
 * Layout of the scratch memory:
 *   0    secret                96   counter of ECDSA, or auxiliary randomness
 *   32   message               128  parsed signature          256  key pair
 *   64   tweak                 192  serialised signature
 */
const SECRET_AT = 0;
const MESSAGE_AT = 32;
const TWEAK_AT = 64;
const EXTRA_AT = 96;
const PARSED_AT = 128;
const SIGNATURE_AT = 192;
const KEYPAIR_AT = 256;
const MEMORY_SIZE = 352;

/** Creates the signer of the system's library, without parts that the library lacks; null if there is no library. */
export function createSystemSigner(): Partial<Signer> | null {
  const library = openSystemLibrary();
  if (library === null) return null;
  try {
    return bind(library);
  } catch {
    return null;
  }
}

function bind(library: LibraryHandle): Partial<Signer> {
  const createContext = library.func('secp256k1_context_create', 'size_t', ['unsigned int']);
  const randomize = library.func('secp256k1_context_randomize', 'int', ['size_t', 'void*']);
  const context: number = createContext(CONTEXT_SIGN);
  // Randomize the context, which protects secrets against timing attacks. Results stay the same.
  randomize(context, new Uint8Array(randomBytes(SCALAR)));
  const memory = new Uint8Array(new ArrayBuffer(MEMORY_SIZE));
  const base = Number(koffi().address(memory));
  return { ...bindEcdsa(library, context, memory, base), ...bindSchnorr(library, context, memory, base) };
}

function bindEcdsa(library: LibraryHandle, context: number, memory: Uint8Array, base: number): Partial<Signer> {
  const sign = library.func('secp256k1_ecdsa_sign', 'int', ['size_t', 'size_t', 'size_t', 'size_t', 'size_t', 'size_t']);
  const serialize = library.func('secp256k1_ecdsa_signature_serialize_compact', 'int', ['size_t', 'size_t', 'size_t']);
  const counter = new DataView(memory.buffer, EXTRA_AT, 4);
  return {
    signLowR: (secret, message) => {
      if (secret.length !== SCALAR || message.length !== SCALAR) return null;
      memory.set(secret, SECRET_AT);
      memory.set(message, MESSAGE_AT);
      memory.fill(0, EXTRA_AT, EXTRA_AT + SCALAR);
      try {
        for (let tries = 0; ; tries++) {
          // The first attempt has no extra data. Later ones have a 32-bit little-endian counter at its front.
          counter.setUint32(0, tries, true);
          const extra = tries === 0 ? 0 : base + EXTRA_AT;
          if (sign(context, base + PARSED_AT, base + MESSAGE_AT, base + SECRET_AT, 0, extra) !== 1) return null;
          serialize(context, base + SIGNATURE_AT, base + PARSED_AT);
          if (memory[SIGNATURE_AT] < 0x80) return memory.slice(SIGNATURE_AT, SIGNATURE_AT + SIGNATURE);
        }
      } finally {
        memory.fill(0);
      }
    },
  };
}

function bindSchnorr(library: LibraryHandle, context: number, memory: Uint8Array, base: number): Partial<Signer> {
  try {
    const createKeypair = library.func('secp256k1_keypair_create', 'int', ['size_t', 'size_t', 'size_t']);
    const addTweak = library.func('secp256k1_keypair_xonly_tweak_add', 'int', ['size_t', 'size_t', 'size_t']);
    const sign = library.func('secp256k1_schnorrsig_sign32', 'int', ['size_t', 'size_t', 'size_t', 'size_t', 'size_t']);
    return {
      signSchnorr: (secret, message, tweak, auxRand) => {
        const parts = tweak === null ? [secret, message, auxRand] : [secret, message, auxRand, tweak];
        if (parts.some((part) => part.length !== SCALAR)) return null;
        memory.set(secret, SECRET_AT);
        memory.set(message, MESSAGE_AT);
        memory.set(auxRand, EXTRA_AT);
        if (tweak !== null) memory.set(tweak, TWEAK_AT);
        try {
          if (createKeypair(context, base + KEYPAIR_AT, base + SECRET_AT) !== 1) return null;
          if (tweak !== null && addTweak(context, base + KEYPAIR_AT, base + TWEAK_AT) !== 1) return null;
          if (sign(context, base + SIGNATURE_AT, base + MESSAGE_AT, base + KEYPAIR_AT, base + EXTRA_AT) !== 1) return null;
          return memory.slice(SIGNATURE_AT, SIGNATURE_AT + SIGNATURE);
        } finally {
          memory.fill(0);
        }
      },
    };
  } catch {
    // The library was built without the modules for x-only keys and Schnorr, or is too old to have these functions.
    return {};
  }
}
