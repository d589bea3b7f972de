// Data for signing threads, in shared buffers of two kinds:
//
// - A sign slab contains the keys and scripts of one job. The requesting thread writes it once, one worker reads it.
//   Messages contain no private keys. In the slab they have a part of their own. The worker overwrites this part at the
//   end of the job, and the requesting thread again when it has the answer.
//     words    HEADER_WORDS x int32: whether the keys are there, number of keys, length of the public part
//     keys     count x 52: HASH160 of the public key, private key
//     public   scripts, public keys, taproot outputs: see writeMaterial
// - A subject slab contains the transaction of which jobs sign parts. Nothing in it is secret.
//     words    its number as a float64, then two x int32: length, nothing
//     bytes    the transaction: see writeSubjectSlab

import type { TaprootOutput } from '../address/descriptor/expansion.js';
import { hashKey } from '../consensus/bytes/hex.js';
import { ByteReader } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { readSpentOutputs, type SpentOutput, spentOutputsSize, writeSpentOutputs } from '../consensus/script/spent-output.js';
import { secretCopy } from '../crypto/secret-bytes.js';
import type { SigningProvider } from '../signing/index.js';

const HEADER_WORDS = 4;
const CONTENT_AT = HEADER_WORDS * 4;
const ID_SIZE = 20;
const SECRET_SIZE = 32;
const KEY_SIZE = ID_SIZE + SECRET_SIZE;
const WORD_WHOLE = 0;
const WORD_KEYS = 1;
const WORD_PUBLIC = 2;
const WORD_LENGTH = 2;
const NOTHING = new Uint8Array(0);
const WIPED = 'The keys of this job have been wiped';

/** Data that signing needs. Maps are keyed by hashKey of the id (for taproot: of the output key). */
export interface SigningMaterial {
  readonly scripts: ReadonlyMap<string, Uint8Array>;
  readonly publicKeys: ReadonlyMap<string, Uint8Array>;
  readonly secrets: ReadonlyMap<string, Uint8Array>;
  readonly taproots: ReadonlyMap<string, TaprootOutput>;
}

export interface SignSubject {
  readonly tx: Uint8Array;
  /** Per input; null if the output is not known. */
  readonly spent: readonly (SpentOutput | null)[];
  /** Sighash type, one byte. */
  readonly hashType: number;
}

/** Returns a buffer of at least that size. */
type Acquire = (size: number) => SharedArrayBuffer;

const scratch = new Uint8Array(ID_SIZE);

/** Returns the bytes of an id for its map key. Valid until the next call. */
function idBytes(key: string): Uint8Array {
  for (let i = 0; i < ID_SIZE; i++) scratch[i] = key.charCodeAt(i);
  return scratch;
}

/** Writes the slab of a job. */
export function writeSignSlab(material: SigningMaterial, acquire: Acquire): SharedArrayBuffer {
  const { secrets } = material;
  const out = new ByteWriter(64 + 64 * material.publicKeys.size);
  writeMaterial(out, material);
  const known = out.finish();
  const publicAt = CONTENT_AT + secrets.size * KEY_SIZE;
  const slab = acquire(publicAt + known.length);
  const words = new Int32Array(slab, 0, HEADER_WORDS);
  words[WORD_WHOLE] = 1;
  words[WORD_KEYS] = secrets.size;
  words[WORD_PUBLIC] = known.length;
  const bytes = new Uint8Array(slab);
  let at = CONTENT_AT;
  for (const [id, secret] of secrets) {
    bytes.set(idBytes(id), at);
    bytes.set(secret, at + ID_SIZE);
    at += KEY_SIZE;
  }
  bytes.set(known, publicAt);
  return slab;
}

/** Writes the slab of a transaction that several jobs share. @param serial a number that no other recent one has */
export function writeSubjectSlab({ tx, spent, hashType }: SignSubject, serial: number, acquire: Acquire): SharedArrayBuffer {
  const out = new ByteWriter(tx.length + spentOutputsSize(spent.length) + 16);
  out.u8(hashType).varBytes(tx);
  writeSpentOutputs(out, spent);
  const content = out.finish();
  const slab = acquire(CONTENT_AT + content.length);
  const words = new Int32Array(slab, 0, HEADER_WORDS);
  words[WORD_LENGTH] = content.length;
  new Float64Array(slab, 0, 1)[0] = serial;
  new Uint8Array(slab).set(content, CONTENT_AT);
  return slab;
}

/** Writes everything but the private keys. */
function writeMaterial(out: ByteWriter, material: SigningMaterial): void {
  for (const map of [material.scripts, material.publicKeys]) {
    out.compactSize(map.size);
    for (const [id, value] of map) out.bytes(idBytes(id)).varBytes(value);
  }
  out.compactSize(material.taproots.size);
  for (const { outputKey, internalKey, merkleRoot, leaves } of material.taproots.values()) {
    out
      .bytes(outputKey)
      .bytes(internalKey)
      .varBytes(merkleRoot ?? NOTHING);
    out.compactSize(leaves.length);
    for (const { script, leafVersion, depth, leafHash, controlBlock } of leaves) {
      out.varBytes(script).u8(leafVersion).u8(depth).bytes(leafHash).varBytes(controlBlock);
    }
  }
}

/** Overwrites the private keys of a sign slab. May be called repeatedly. */
export function wipeSignSlab(slab: SharedArrayBuffer): void {
  const keys = new Int32Array(slab, 0, HEADER_WORDS)[WORD_KEYS];
  new Uint8Array(slab, CONTENT_AT, keys * KEY_SIZE).fill(0);
}

/** Returns the number that distinguishes a subject slab from others. */
export function subjectSerial(slab: SharedArrayBuffer): number {
  return new Float64Array(slab, 0, 1)[0];
}

/** Returns the content of a subject slab, as views. */
export function readSubjectSlab(slab: SharedArrayBuffer): SignSubject {
  const length = new Int32Array(slab, 0, HEADER_WORDS)[WORD_LENGTH];
  const reader = new ByteReader(new Uint8Array(slab), CONTENT_AT, CONTENT_AT + length);
  const hashType = reader.u8();
  const tx = reader.varBytes();
  return { tx, spent: readSpentOutputs(reader), hashType };
}

/** A sign slab for its reader. Public data are views; a private key is copied only while it is used. */
export class SignSlabView implements SigningProvider {
  readonly #slab: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #scripts: ReadonlyMap<string, Uint8Array>;
  readonly #publicKeys: ReadonlyMap<string, Uint8Array>;
  readonly #taproots: ReadonlyMap<string, TaprootOutput>;
  /** Private keys, as views of the slab. They contain zeros once the slab is wiped. */
  readonly #secrets = new Map<string, Uint8Array>();

  constructor(slab: SharedArrayBuffer) {
    this.#slab = slab;
    this.#words = new Int32Array(slab, 0, HEADER_WORDS);
    // A job may run again after its thread died late. Signatures by wiped keys would be wrong.
    if (Atomics.load(this.#words, WORD_WHOLE) !== 1) throw new Error(WIPED);
    const bytes = new Uint8Array(slab);
    const publicAt = CONTENT_AT + this.#words[WORD_KEYS] * KEY_SIZE;
    for (let at = CONTENT_AT; at < publicAt; at += KEY_SIZE) {
      this.#secrets.set(hashKey(bytes.subarray(at, at + ID_SIZE)), bytes.subarray(at + ID_SIZE, at + KEY_SIZE));
    }
    const reader = new ByteReader(bytes, publicAt, publicAt + this.#words[WORD_PUBLIC]);
    this.#scripts = readById(reader);
    this.#publicKeys = readById(reader);
    this.#taproots = new Map(readList(reader, () => readTaproot(reader)).map((output) => [hashKey(output.outputKey), output]));
  }

  /** Overwrites the private keys at the end of the job. @throws if that was already done */
  finish(): void {
    if (Atomics.exchange(this.#words, WORD_WHOLE, 0) !== 1) throw new Error(WIPED);
    wipeSignSlab(this.#slab);
  }

  script(id: Uint8Array): Uint8Array | undefined {
    return this.#scripts.get(hashKey(id));
  }
  publicKey(id: Uint8Array): Uint8Array | undefined {
    return this.#publicKeys.get(hashKey(id));
  }
  hasSecret(id: Uint8Array): boolean {
    return this.#secrets.has(hashKey(id));
  }
  /** Returns a copy, which the caller wipes. */
  secret(id: Uint8Array): Uint8Array | undefined {
    const secret = this.#secrets.get(hashKey(id));
    return secret && secretCopy(secret);
  }
  origin(): undefined {
    return undefined;
  }
  taproot(outputKey: Uint8Array): TaprootOutput | undefined {
    return this.#taproots.get(hashKey(outputKey));
  }
}

function readById(reader: ByteReader): ReadonlyMap<string, Uint8Array> {
  return new Map(readList(reader, (): [string, Uint8Array] => [hashKey(reader.bytes(ID_SIZE)), reader.varBytes()]));
}

function readList<T>(reader: ByteReader, read: () => T): T[] {
  const list: T[] = [];
  for (let left = reader.compactSize(); left > 0; left--) list.push(read());
  return list;
}

function readTaproot(reader: ByteReader): TaprootOutput {
  const outputKey = reader.bytes(32);
  const internalKey = reader.bytes(32);
  const root = reader.varBytes();
  const leaves = readList(reader, () => ({
    script: reader.varBytes(),
    leafVersion: reader.u8(),
    depth: reader.u8(),
    leafHash: reader.bytes(32),
    controlBlock: reader.varBytes(),
  }));
  return { outputKey, internalKey, merkleRoot: root.length > 0 ? root : null, leaves };
}
