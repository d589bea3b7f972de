// A transaction to sign, in one shared buffer: what it spends, and the keys and scripts that its inputs need. Written once by the node
// thread, read by every worker that signs a part of it. Private keys are nowhere else: they lie in a part of their own, which whoever
// finishes last overwrites, and the node thread again when all have answered.
//
//   words    HEADER_WORDS x int32: serial, parts left, number of keys, hash type, length of the public part
//   keys     count x 52: HASH160 of the public key, private key
//   public   transaction, spent outputs, scripts, public keys, taproot outputs: see writePublic

import type { TaprootOutput } from '../address/descriptor/expansion.js';
import { hashKey } from '../consensus/bytes/hex.js';
import { ByteReader } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';

const HEADER_WORDS = 8;
const KEYS_AT = HEADER_WORDS * 4;
const ID_SIZE = 20;
const SECRET_SIZE = 32;
const KEY_SIZE = ID_SIZE + SECRET_SIZE;
const WORD_SERIAL = 0;
const WORD_PARTS = 1;
const WORD_KEYS = 2;
const WORD_HASH_TYPE = 3;
const WORD_PUBLIC = 4;

/** What signers ask for; maps go by hashKey of the id (of taproot: of the output key). */
export interface SigningMaterial {
  readonly scripts: ReadonlyMap<string, Uint8Array>;
  readonly publicKeys: ReadonlyMap<string, Uint8Array>;
  readonly secrets: ReadonlyMap<string, Uint8Array>;
  readonly taproots: ReadonlyMap<string, TaprootOutput>;
}

/** What to write. */
export interface SignSlabContent {
  readonly tx: Uint8Array;
  readonly spent: readonly (SpentOutput | null)[];
  readonly material: SigningMaterial;
  readonly hashType: number;
  /** A number no other recent slab used. */
  readonly serial: number;
  /** Jobs it will be given to. */
  readonly parts: number;
}

const scratch = new Uint8Array(ID_SIZE);

/** The bytes of an id out of its map key, until the next call. */
function idBytes(key: string): Uint8Array {
  for (let i = 0; i < ID_SIZE; i++) scratch[i] = key.charCodeAt(i);
  return scratch;
}

/** The buffer of a transaction, or null when `acquire` has none of that size. */
export function writeSignSlab(content: SignSlabContent, acquire: (size: number) => SharedArrayBuffer): SharedArrayBuffer {
  const { secrets } = content.material;
  const known = writePublic(content);
  const publicAt = KEYS_AT + secrets.size * KEY_SIZE;
  const slab = acquire(publicAt + known.length);
  const words = new Int32Array(slab, 0, HEADER_WORDS);
  words[WORD_SERIAL] = content.serial;
  words[WORD_PARTS] = content.parts;
  words[WORD_KEYS] = secrets.size;
  words[WORD_HASH_TYPE] = content.hashType;
  words[WORD_PUBLIC] = known.length;
  const bytes = new Uint8Array(slab);
  let at = KEYS_AT;
  for (const [id, secret] of secrets) {
    bytes.set(idBytes(id), at);
    bytes.set(secret, at + ID_SIZE);
    at += KEY_SIZE;
  }
  bytes.set(known, publicAt);
  return slab;
}

function writePublic({ tx, spent, material }: SignSlabContent): Uint8Array {
  const out = new ByteWriter(tx.length + 64 * spent.length);
  out.varBytes(tx).compactSize(spent.length);
  for (const output of spent) {
    out.u8(output ? 1 : 0);
    if (output) out.u64(output.value).varBytes(output.script);
  }
  for (const map of [material.scripts, material.publicKeys]) {
    out.compactSize(map.size);
    for (const [id, value] of map) out.bytes(idBytes(id)).varBytes(value);
  }
  out.compactSize(material.taproots.size);
  for (const { outputKey, internalKey, merkleRoot, leaves } of material.taproots.values()) {
    out
      .bytes(outputKey)
      .bytes(internalKey)
      .varBytes(merkleRoot ?? new Uint8Array(0));
    out.compactSize(leaves.length);
    for (const { script, leafVersion, depth, leafHash, controlBlock } of leaves) {
      out.varBytes(script).u8(leafVersion).u8(depth).bytes(leafHash).varBytes(controlBlock);
    }
  }
  return out.finish();
}

/** The number that tells a slab from others. */
export function signSlabSerial(slab: SharedArrayBuffer): number {
  return new Int32Array(slab, 0, HEADER_WORDS)[WORD_SERIAL];
}

/** Overwrites the private keys. Doing it twice changes nothing. */
export function wipeSignSlab(slab: SharedArrayBuffer): void {
  const [, , keys] = new Int32Array(slab, 0, HEADER_WORDS);
  new Uint8Array(slab, KEYS_AT, keys * KEY_SIZE).fill(0);
}

/** A slab as its readers see it: public things are views, a private key is copied for the moment of its use. */
export class SignSlabView {
  readonly serial: number;
  readonly hashType: number;
  readonly tx: Uint8Array;
  readonly spent: readonly (SpentOutput | null)[];
  readonly scripts = new Map<string, Uint8Array>();
  readonly publicKeys = new Map<string, Uint8Array>();
  readonly taproots = new Map<string, TaprootOutput>();
  readonly #slab: SharedArrayBuffer;
  readonly #words: Int32Array;
  /** Where the private key of an id lies. */
  readonly #places = new Map<string, number>();

  constructor(slab: SharedArrayBuffer) {
    this.#slab = slab;
    this.#words = new Int32Array(slab, 0, HEADER_WORDS);
    this.serial = this.#words[WORD_SERIAL];
    this.hashType = this.#words[WORD_HASH_TYPE];
    const keys = this.#words[WORD_KEYS];
    const bytes = new Uint8Array(slab);
    for (let i = 0, at = KEYS_AT; i < keys; i++, at += KEY_SIZE) {
      this.#places.set(hashKey(bytes.subarray(at, at + ID_SIZE)), at + ID_SIZE);
    }
    const publicAt = KEYS_AT + keys * KEY_SIZE;
    const reader = new ByteReader(bytes, publicAt, publicAt + this.#words[WORD_PUBLIC]);
    this.tx = reader.varBytes();
    this.spent = readList(reader, () => (reader.u8() === 1 ? { value: reader.u64(), script: reader.varBytes() } : null));
    for (const map of [this.scripts, this.publicKeys]) {
      for (let left = reader.compactSize(); left > 0; left--) map.set(hashKey(reader.bytes(ID_SIZE)), reader.varBytes());
    }
    for (const output of readList(reader, () => readTaproot(reader))) this.taproots.set(hashKey(output.outputKey), output);
  }

  hasSecret(id: string): boolean {
    return this.#places.has(id);
  }
  /** A fresh array, which the caller wipes. */
  secret(id: string): Uint8Array | undefined {
    const at = this.#places.get(id);
    return at === undefined ? undefined : new Uint8Array(new Uint8Array(this.#slab, at, SECRET_SIZE));
  }
  /** @throws when the private keys are gone, as for a part that runs again after its thread died late: what they signed is not to be trusted */
  assertWhole(): void {
    if (Atomics.load(this.#words, WORD_PARTS) < 1) throw new Error('The keys of this transaction have been wiped');
  }
  /** A part is done; the last one overwrites the private keys. @throws as assertWhole */
  finishPart(): void {
    this.assertWhole();
    if (Atomics.sub(this.#words, WORD_PARTS, 1) === 1) wipeSignSlab(this.#slab);
  }
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
