// Checks the fields of MuSig2 (BIP-0373), which are stored unchanged for signers that support MuSig2.
import { IN } from './field-types.js';
import type { RawField } from './psbt.js';
import { failRead, type PsbtReader } from './psbt-reader.js';
import { isPublicKey, readRaw } from './read-fields.js';

const KEY_SIZE = 33;
const NONCE_SIZE = 66;
const PARTIAL_SIG_SIZE = 32;

/** Reads a MuSig2 field of an input. @returns false if the field is not a MuSig2 field */
export function readMusigInput(reader: PsbtReader, key: Uint8Array, unknown: Map<string, RawField>): boolean {
  switch (key[0]) {
    case IN.MUSIG2_PARTICIPANTS:
      readParticipants(reader, key, 'Input', unknown);
      return true;
    case IN.MUSIG2_PUB_NONCE:
      checkSignerKey(reader, key, 'pubnonce');
      if (readRaw(reader, key, unknown).length !== NONCE_SIZE) failRead('Input musig2 pubnonce value is not 66 bytes');
      return true;
    case IN.MUSIG2_PARTIAL_SIG:
      checkSignerKey(reader, key, 'partial sig');
      readRaw(reader, key, unknown, () => reader.fixedBytes(PARTIAL_SIG_SIZE));
      return true;
    default:
      return false;
  }
}

export function readMusigOutput(reader: PsbtReader, key: Uint8Array, unknown: Map<string, RawField>): void {
  readParticipants(reader, key, 'Output', unknown);
}

function readParticipants(reader: PsbtReader, key: Uint8Array, where: string, unknown: Map<string, RawField>): void {
  if (key.length !== 1 + KEY_SIZE) failRead(`Size of key was not 34 for the type ${where} MuSig2 Participants Pubkeys`);
  if (!isPublicKey(reader, key.subarray(1))) failRead(`${where} musig2 aggregate pubkey is invalid`);
  const value = readRaw(reader, key, unknown);
  for (let at = 0; at < value.length; at += KEY_SIZE) {
    if (at + KEY_SIZE > value.length) failRead(`${where} musig2 participants pubkeys value size is not a multiple of 33`);
    if (!isPublicKey(reader, value.subarray(at, at + KEY_SIZE))) failRead(`${where} musig2 participant pubkey is invalid`);
  }
}

/** Checks a field's key that consists of participant key, aggregate key, and for script paths a leaf hash. */
function checkSignerKey(reader: PsbtReader, key: Uint8Array, what: string): void {
  if (key.length !== 1 + 2 * KEY_SIZE && key.length !== 1 + 2 * KEY_SIZE + 32) {
    failRead(`Input musig2 ${what} key is not expected size of 67 or 99 bytes`);
  }
  if (!isPublicKey(reader, key.subarray(1 + KEY_SIZE, 1 + 2 * KEY_SIZE))) failRead('musig2 aggregate pubkey is invalid');
  if (!isPublicKey(reader, key.subarray(1, 1 + KEY_SIZE))) failRead('musig2 participant pubkey is invalid');
}
