// Server side of the handshake Noise_NX (specification, 4.5). No message carries its length:
//
//   act 1, from the client   64 bytes    its ephemeral key; any 64 bytes are valid
//   act 2, to the client     234 bytes   our ephemeral key 64; our static key encrypted 64 + 16; the certificate encrypted 74 + 16
//
// Keys are sent as ElligatorSwift encodings. Shared secrets are computed by BIP-0324's function over the encodings as
// they were sent.
import type { Aead } from '../../crypto/aead.js';
import type { Hashes } from '../../crypto/crypto.js';
import { ELLSWIFT_BYTES, type EllSwift, type EllSwiftKey } from '../../crypto/ellswift.js';
import { CipherState, SymmetricState } from './cipher-state.js';

export const PROTOCOL_NAME = 'Noise_NX_Secp256k1+EllSwift_ChaChaPoly_SHA256';
export const ACT_ONE_BYTES = ELLSWIFT_BYTES;

/** Functions of cryptography that a handshake needs. */
export interface NoiseTools {
  readonly hashes: Pick<Hashes, 'sha256'>;
  readonly aead: Aead;
  readonly ellSwift: EllSwift;
}

/** The server's long-lived key and certificate. */
export interface ResponderIdentity {
  readonly staticKey: EllSwiftKey;
  /** Certificate of the static key (certificate.ts), 74 bytes. */
  readonly certificate: Uint8Array;
}

/** A finished handshake. */
export interface NoiseSession {
  /** Message for the client, 234 bytes. */
  readonly act2: Uint8Array;
  readonly receiving: CipherState;
  readonly sending: CipherState;
  /** Hash of the whole handshake, 32 bytes. */
  readonly hash: Uint8Array;
}

/**
 * Answers act 1.
 * @param act1 64 bytes
 * @param ephemeral a fresh key, whose secret is overwritten here
 */
export function respond(act1: Uint8Array, identity: ResponderIdentity, ephemeral: EllSwiftKey, tools: NoiseTools): NoiseSession {
  const { hashes, aead, ellSwift } = tools;
  const state = new SymmetricState(PROTOCOL_NAME, hashes, aead);
  state.mixHash(act1);
  // Mix in the payload of act 1, which is empty.
  state.mixHash(new Uint8Array(0));

  state.mixHash(ephemeral.encoding);
  mixSecret(state, ellSwift.sharedSecret(ephemeral, act1, false));
  const sealedKey = state.encryptAndHash(identity.staticKey.encoding);
  mixSecret(state, ellSwift.sharedSecret(identity.staticKey, act1, false));
  const sealedCertificate = state.encryptAndHash(identity.certificate);
  ephemeral.secret.fill(0);

  const act2 = new Uint8Array(ELLSWIFT_BYTES + sealedKey.length + sealedCertificate.length);
  act2.set(ephemeral.encoding);
  act2.set(sealedKey, ELLSWIFT_BYTES);
  act2.set(sealedCertificate, ELLSWIFT_BYTES + sealedKey.length);
  const [receiveKey, sendKey] = state.split();
  return { act2, receiving: new CipherState(receiveKey, aead), sending: new CipherState(sendKey, aead), hash: state.hash };
}

function mixSecret(state: SymmetricState, secret: Uint8Array): void {
  state.mixKey(secret);
  secret.fill(0);
}
