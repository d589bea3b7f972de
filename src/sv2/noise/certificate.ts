// The certificate that the authority gives to the server's static key (specification, 4.5.3 "SIGNATURE_NOISE_MESSAGE"):
//
//   0   version          U16, 0
//   2   valid_from       U32, seconds since 1970
//   6   not_valid_after  U32
//   10  signature        BIP-0340 of SHA-256(version, valid_from, not_valid_after, x-only static key of 32 bytes) by the authority
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { SchnorrSigner } from '../../crypto/schnorr-signer.js';

const VERSION = 0;

export interface CertificateFields {
  readonly validFrom: number;
  readonly notValidAfter: number;
  /** The server's static key, x-only, 32 bytes. */
  readonly staticKey: Uint8Array;
}

/** Returns the hash that the authority signs. */
export function certificateDigest({ validFrom, notValidAfter, staticKey }: CertificateFields, hashes: Pick<Hashes, 'sha256'>): Uint8Array {
  return hashes.sha256(new ByteWriter(42).u16(VERSION).u32(validFrom).u32(notValidAfter).bytes(staticKey).finish());
}

/**
 * @param authoritySecret 32 bytes
 * @param auxRand 32 random bytes for the signature
 * @returns 74 bytes; null if the secret is not a valid private key
 */
export function makeCertificate(
  fields: CertificateFields,
  authoritySecret: Uint8Array,
  auxRand: Uint8Array,
  { sha256, signSchnorr }: Pick<Hashes, 'sha256'> & SchnorrSigner,
): Uint8Array | null {
  const signature = signSchnorr(authoritySecret, certificateDigest(fields, { sha256 }), null, auxRand);
  if (signature === null) return null;
  return new ByteWriter(74).u16(VERSION).u32(fields.validFrom).u32(fields.notValidAfter).bytes(signature).finish();
}
