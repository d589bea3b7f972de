// Signed publications: Ed25519 over everything but the signature. A front trusts a node's name only with the pinned
// key. Within a run it accepts only publications that are newer than those it has. A run is trusted once it has signed
// the front's own nonce, so that publications of an earlier run cannot be replayed.
//
//   64 bytes signature, then a map: v version · least oldest reader · chain · kind · node · run · number · body
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { decode, encode, FLEET_VERSION, LEAST_VERSION } from './messages.js';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

export type PublicationKind = 'fact' | 'head';

/** A publication with a valid signature of a pinned node. */
export interface Publication {
  readonly kind: PublicationKind;
  readonly node: string;
  /** Random, chosen at each start of the node. */
  readonly run: string;
  /** Rises with every publication of a run. */
  readonly number: number;
  readonly body: Uint8Array;
}

/** Returns a new private key, PKCS #8 in PEM. */
export function newNodeKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** Returns the 32 bytes of the public key. @throws Error if it is not an Ed25519 key */
export function publicKeyOf(privatePem: string): Uint8Array {
  const key = createPublicKey(createPrivateKey(privatePem));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
  return new Uint8Array(Buffer.from(key.export({ format: 'jwk' }).x as string, 'base64url'));
}

/** Returns a public key object for its 32 bytes. @throws Error if they are not a key */
export function publicKey(bytes: Uint8Array): KeyObject {
  if (bytes.length !== KEY_BYTES) throw new Error('an Ed25519 key has 32 bytes');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') }, format: 'jwk' });
}

/**
 * Returns the names in a publication without checking its signature. Use them for log lines only.
 * @returns null if it is not a publication, or a name has characters that a node's name cannot have
 */
export function claimedNode(bytes: Uint8Array): { readonly node: string; readonly chain: string } | null {
  const map = bytes.length > SIGNATURE_BYTES ? decode(bytes.subarray(SIGNATURE_BYTES)) : null;
  const isName = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{1,32}$/.test(text);
  return map !== null && isName(map.node) && isName(map.chain) ? { node: map.node, chain: map.chain } : null;
}

/** Signs a node's publications. */
export class Signer {
  readonly #key: KeyObject;
  #number = 0;
  readonly #chain: string;
  readonly #node: string;

  constructor(
    privatePem: string,
    chain: string,
    node: string,
    readonly run: string,
  ) {
    this.#chain = chain;
    this.#node = node;
    this.#key = createPrivateKey(privatePem);
  }

  publication(kind: PublicationKind, body: Uint8Array): Uint8Array {
    const { run } = this;
    const chain = this.#chain;
    const node = this.#node;
    const signed = encode({ v: FLEET_VERSION, least: LEAST_VERSION, chain, kind, node, run, number: ++this.#number, body });
    const out = new Uint8Array(SIGNATURE_BYTES + signed.length);
    out.set(sign(null, signed, this.#key));
    out.set(signed, SIGNATURE_BYTES);
    return out;
  }
}

/** Verifies publications. */
export class Verifier {
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #chain: string;

  /** @param keys of the pinned nodes, by name */
  constructor(keys: ReadonlyMap<string, Uint8Array>, chain: string) {
    this.#chain = chain;
    this.#keys = new Map([...keys].map(([name, bytes]) => [name, publicKey(bytes)]));
  }

  /**
   * Verifies and decodes a publication.
   * @returns null if the publication is forged, or is of another chain, of a node that is not pinned, or of a version
   *   that this code cannot read
   */
  open(bytes: Uint8Array): Publication | null {
    if (bytes.length <= SIGNATURE_BYTES) return null;
    const signed = bytes.subarray(SIGNATURE_BYTES);
    const map = decode(signed);
    if (map === null || map.chain !== this.#chain || typeof map.node !== 'string') return null;
    const key = this.#keys.get(map.node);
    if (!key || !verify(null, signed, key, bytes.subarray(0, SIGNATURE_BYTES))) return null;
    const { kind, node, run, number, body } = map;
    if (typeof map.v !== 'number' || typeof map.least !== 'number' || map.least > FLEET_VERSION || map.v < LEAST_VERSION) return null;
    if ((kind !== 'fact' && kind !== 'head') || typeof run !== 'string' || typeof number !== 'number') return null;
    return body instanceof Uint8Array ? { kind, node, run, number, body } : null;
  }
}
