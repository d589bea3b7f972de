// Key exchange with ElligatorSwift keys (BIP-0324): by the system's libsecp256k1 if it has the module (0.4 and later),
// otherwise by the mapping in bigints and the secp256k1 package, which handles everything secret in constant time.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { LibraryHandle } from 'koffi';
import type { Hashes } from '../crypto.js';
import { decodeEllSwift, ELLSWIFT_BYTES, type EllSwift, type EllSwiftKey, encodeEllSwift } from '../ellswift.js';
import type { NativeCryptoOptions } from './index.js';
import { koffi } from './koffi.js';
import { openSystemLibrary } from './system-curve.js';

const SCALAR = 32;
const TAG = 'bip324_ellswift_xonly_ecdh';
/** SECP256K1_FLAGS_TYPE_CONTEXT with the bits for verifying and signing, which newer versions ignore. */
const CONTEXT_SIGN = 0x0301;

const fresh = (length: number): Uint8Array => new Uint8Array(randomBytes(length));

/** Creates the key exchange of this process. Throws if there is neither a library nor an addon for this platform. */
export function createEllSwift(hashes: Hashes, options: NativeCryptoOptions = {}): EllSwift {
  const library = options.prefer === 'packages' ? null : openSystemLibrary();
  return (library && bindEllSwift(library)) ?? createPackageEllSwift(hashes);
}

/**
 * Memory outside the garbage-collected heap for all arguments:
 *
 *   0    secret      64   our encoding, or the initiator's     192  shared secret
 *   32   randomness  128  the responder's encoding
 */
const SECRET_AT = 0;
const RANDOM_AT = 32;
const FIRST_AT = 64;
const SECOND_AT = 128;
const SHARED_AT = 192;
const MEMORY_SIZE = 224;

/** Binds the library's module. @returns null if the library was built without it */
export function bindEllSwift(library: LibraryHandle): EllSwift | null {
  try {
    const createContext = library.func('secp256k1_context_create', 'size_t', ['unsigned int']);
    const randomize = library.func('secp256k1_context_randomize', 'int', ['size_t', 'void*']);
    const createKey = library.func('secp256k1_ellswift_create', 'int', ['size_t', 'size_t', 'size_t', 'size_t']);
    const exchange = library.func('secp256k1_ellswift_xdh', 'int', [
      'size_t',
      'size_t',
      'size_t',
      'size_t',
      'size_t',
      'int',
      'size_t',
      'size_t',
    ]);
    // The hash function is not exported itself. The library exports a variable that contains its address.
    const hash = Number(koffi().decode(library.symbol('secp256k1_ellswift_xdh_hash_function_bip324'), 'size_t'));
    const context: number = createContext(CONTEXT_SIGN);
    // Randomize the context, which protects secrets against timing attacks. Results stay the same.
    randomize(context, fresh(SCALAR));
    const memory = new Uint8Array(new ArrayBuffer(MEMORY_SIZE));
    const base = Number(koffi().address(memory));
    return {
      backend: 'libsecp256k1 (system)',
      createKey: () => {
        try {
          for (;;) {
            const secret = fresh(SCALAR);
            memory.set(secret, SECRET_AT);
            memory.set(fresh(SCALAR), RANDOM_AT);
            if (createKey(context, base + FIRST_AT, base + SECRET_AT, base + RANDOM_AT) !== 1) continue;
            return { secret, encoding: memory.slice(FIRST_AT, FIRST_AT + ELLSWIFT_BYTES) };
          }
        } finally {
          memory.fill(0);
        }
      },
      sharedSecret: (ours, theirs, initiating) => {
        checkKeys(ours, theirs);
        try {
          memory.set(ours.secret, SECRET_AT);
          memory.set(initiating ? ours.encoding : theirs, FIRST_AT);
          memory.set(initiating ? theirs : ours.encoding, SECOND_AT);
          const party = initiating ? 0 : 1;
          if (exchange(context, base + SHARED_AT, base + FIRST_AT, base + SECOND_AT, base + SECRET_AT, party, hash, 0) !== 1) {
            throw new Error('libsecp256k1 rejects a key that it created');
          }
          return memory.slice(SHARED_AT, SHARED_AT + SCALAR);
        } finally {
          memory.fill(0);
        }
      },
    };
  } catch {
    return null;
  }
}

/**
 * Functions of the secp256k1 package's native binding that this file uses. The binding has no type declarations. Misuse
 * and impossible results throw.
 */
interface ExchangeBinding {
  privateKeyVerify(secret: Uint8Array): boolean;
  publicKeyCreate(secret: Uint8Array, compressed: boolean): Uint8Array;
  ecdh(
    publicKey: Uint8Array,
    secret: Uint8Array,
    options: { hashfn(x: Uint8Array, y: Uint8Array): Uint8Array },
    output: Uint8Array,
  ): Uint8Array;
}

/** Creates the key exchange with the package's addon and bigints. */
function createPackageEllSwift(hashes: Hashes): EllSwift {
  const secp = createRequire(import.meta.url)('secp256k1/bindings.js') as ExchangeBinding;
  return {
    backend: 'secp256k1 (npm), bigint',
    createKey: () => {
      for (;;) {
        const secret = fresh(SCALAR);
        if (!secp.privateKeyVerify(secret)) continue;
        const x = secp.publicKeyCreate(secret, true).subarray(1);
        return { secret, encoding: encodeEllSwift(x, fresh) };
      }
    },
    sharedSecret: (ours, theirs, initiating) => {
      checkKeys(ours, theirs);
      const key = new Uint8Array(33);
      // Either y is right, because only x of the product is used.
      key[0] = 2;
      key.set(decodeEllSwift(theirs), 1);
      const x = secp.ecdh(key, ours.secret, { hashfn: (product) => new Uint8Array(product) }, new Uint8Array(SCALAR));
      const [first, second] = initiating ? [ours.encoding, theirs] : [theirs, ours.encoding];
      const shared = hashes.taggedHash(TAG, first, second, x);
      x.fill(0);
      return shared;
    },
  };
}

function checkKeys(ours: EllSwiftKey, theirs: Uint8Array): void {
  if (ours.secret.length === SCALAR && ours.encoding.length === ELLSWIFT_BYTES && theirs.length === ELLSWIFT_BYTES) return;
  throw new TypeError('a key has 32 bytes of secret and 64 bytes of encoding');
}
