// Random PSBTs (BIP-0174, BIP-0370, BIP-0371, BIP-0373): maps of records of every kind over random transactions. Most
// keys and values have the length that their kind requires.
import { testKey } from '../framework/keys.js';
import { compactSize, hash160, serializeTx, sha256, type Tx } from '../framework/messages.js';
import { type Coin, type Made, scripts } from './coins.js';
import type { Dice } from './transactions.js';

type Record = readonly [key: Buffer, value: Buffer];
const KEYS = Array.from({ length: 4 }, (_, i) => testKey(700 + i));
const PREIMAGE = Buffer.from('a preimage of the comparison....');
const INNER = Buffer.concat([Buffer.of(0x21), KEYS[0]!.publicKey, Buffer.of(0xac)]);

const le32 = (n: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(n >>> 0);
  return bytes;
};
const le64 = (n: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(n));
  return bytes;
};
const prefixed = (bytes: Uint8Array): Buffer => Buffer.concat([compactSize(bytes.length), bytes]);
const output = (value: number, script: Uint8Array): Buffer => Buffer.concat([le64(value), prefixed(script)]);

export interface PsbtSources {
  readonly dice: Dice;
  readonly coins: () => readonly Coin[];
  /** Returns an earlier transaction by its id. */
  readonly made: (id: string) => Made | undefined;
}

export class RandomPsbts {
  readonly #from: PsbtSources;

  constructor(from: PsbtSources) {
    this.#from = from;
  }

  /** Its bytes. */
  bytes(): Buffer {
    const { dice, coins } = this.#from;
    const spent = Array.from({ length: dice.pick([0, 1, 1, 1, 2, 3]) }, () => dice.pick(coins()));
    const sequence = (): number => dice.pick([0, 0xfffffffd, 0xfffffffe, 0xffffffff]);
    const tx: Tx = {
      version: dice.pick([1, 2, 2, 3, 0]),
      ins: spent.map(({ txid, index }) => ({ txid, index, sequence: sequence() })),
      outs: Array.from({ length: dice.pick([0, 1, 2]) }, () => ({ value: dice.below(5000), script: dice.pick(Object.values(scripts)) })),
      locktime: dice.pick([0, 0, 100, 500_000_001]),
    };
    const version = dice.pick([0, 0, 2]);
    const globals: Record[] = version === 0 ? [this.#record(0, '', serializeTx(tx, false))] : this.#ofVersion2(tx);
    if (version === 2 || dice.chance(0.1)) globals.push(this.#record(0xfb, '', le32(dice.chance(0.97) ? version : dice.pick([1, 3]))));
    globals.push(...this.#some(['xpub', 'proprietary', 'unknown']));
    const ins = spent.map((coin, i) => this.#input(coin, tx, i, version));
    const outs = tx.outs.map(({ value, script }) => [
      ...(version === 2 ? [this.#record(3, '', le64(value)), this.#record(4, '', script)] : []),
      ...this.#some(['outRedeem', 'outWitness', 'outKey', 'outInternal', 'outTree', 'outTapKey', 'outMusig', 'proprietary', 'unknown']),
    ]);
    return Buffer.concat([Buffer.from('70736274ff', 'hex'), ...[globals, ...ins, ...outs].map((map) => this.#map(map))]);
  }

  #map(records: readonly Record[]): Buffer {
    const { dice } = this.#from;
    const list = [...records];
    if (list.length > 0 && dice.chance(0.01)) list.push(dice.pick(list));
    if (list.length > 0 && dice.chance(0.01)) list.splice(dice.below(list.length), 1);
    return Buffer.concat([...list.flatMap(([key, value]) => [prefixed(key), prefixed(value)]), Buffer.of(0)]);
  }

  /** One in a hundred values or keys has another length. */
  #record(type: number, keyData: string | Uint8Array, value: Uint8Array): Record {
    const { dice } = this.#from;
    const near = (bytes: Buffer): Buffer =>
      dice.chance(0.99) ? bytes : dice.pick([bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.of(1)]), Buffer.alloc(0)]);
    return [Buffer.concat([compactSize(type), near(Buffer.from(keyData as string, 'hex'))]), near(Buffer.from(value))];
  }

  #ofVersion2(tx: Tx): Record[] {
    const { dice } = this.#from;
    const list = [
      this.#record(2, '', le32(tx.version)),
      this.#record(4, '', compactSize(tx.ins.length)),
      this.#record(5, '', compactSize(tx.outs.length)),
    ];
    if (dice.chance(0.5)) list.push(this.#record(3, '', le32(tx.locktime ?? 0)));
    if (dice.chance(0.3)) list.push(this.#record(6, '', Buffer.of(dice.below(9))));
    return list;
  }

  #input(coin: Coin, tx: Tx, i: number, version: number): Record[] {
    const { dice, made } = this.#from;
    const list: Record[] = [];
    if (version === 2) {
      list.push(this.#record(0x0e, '', coin.txid), this.#record(0x0f, '', le32(coin.index)));
      if (dice.chance(0.5)) list.push(this.#record(0x10, '', le32(tx.ins[i]!.sequence ?? 0)));
      // Set both kinds of locks or none. If inputs required different kinds, there would be no transaction.
      if (dice.chance(0.2)) {
        list.push(this.#record(0x11, '', le32(dice.pick([500_000_000, 1_700_000_000, 500_000_001, 499_999_999]))));
        list.push(this.#record(0x12, '', le32(dice.pick([1, 499_999_999, 100, 0, 500_000_000]))));
      }
    }
    const script = dice.chance(0.95) ? scripts[coin.lock] : dice.pick(Object.values(scripts));
    const parent = made(dice.chance(0.95) ? coin.outpoint.slice(0, 64) : dice.pick(this.#from.coins()).outpoint.slice(0, 64));
    if (dice.chance(0.6)) list.push(this.#record(1, '', output(dice.chance(0.95) ? coin.value : dice.pick([0, -1, 21e14 + 1]), script)));
    if (parent !== undefined && dice.chance(0.4)) list.push(this.#record(0, '', Buffer.from(parent.hex, 'hex')));
    if (coin.lock === 'true' && dice.chance(0.7)) list.push(this.#record(5, '', Buffer.of(0x51)));
    if (coin.lock === 'drop' && dice.chance(0.7)) list.push(this.#record(5, '', Buffer.of(0x75, 0x51)));
    if (coin.lock === 'p2sh' && dice.chance(0.7)) list.push(this.#record(4, '', Buffer.of(0x51)));
    const kinds = [
      'signature',
      'sighash',
      'redeem',
      'witness',
      'key',
      'scriptSig',
      'scriptWitness',
      'preimage',
      'tapSignature',
      'tapLeafSignature',
    ];
    return [
      ...list,
      ...this.#some([...kinds, 'leaf', 'tapKey', 'internal', 'root', 'musig', 'nonce', 'partial', 'proprietary', 'unknown']),
    ];
  }

  /** Makes some records of these kinds, none of them twice. */
  #some(kinds: readonly string[]): Record[] {
    const { dice } = this.#from;
    const found = new Set(Array.from({ length: dice.pick([0, 0, 1, 1, 2, 4]) }, () => dice.pick(kinds)));
    return [...found].flatMap((kind) => this.#of(kind));
  }

  #of(kind: string): Record[] {
    const { dice } = this.#from;
    const key = dice.pick(KEYS);
    const one = (type: number, keyData: string | Uint8Array, value: Uint8Array): Record[] => [this.#record(type, keyData, value)];
    const origin = Buffer.concat([
      Buffer.alloc(4, 5),
      ...Array.from({ length: dice.below(3) }, (_, i) => le32(i + 0x80000000 * dice.below(2))),
    ]);
    const leaves = Array.from({ length: dice.below(3) }, (_, i) => Buffer.alloc(32, i + 1));
    const tapKey = Buffer.concat([compactSize(leaves.length), ...leaves, origin]);
    const aggregate = Buffer.concat([KEYS[3]!.publicKey, key.publicKey]);
    const participants = Buffer.concat(KEYS.slice(0, 1 + dice.below(3)).map(({ publicKey }) => publicKey));
    const signature = Buffer.concat([key.signForScript(sha256(PREIMAGE), dice.pick([1, 1, 2, 3, 0x81, 0]))]);
    const depth = dice.pick([0, 1, 1, 2, 129]);
    const leafScript = Buffer.concat([INNER, Buffer.of(0xc0)]);
    const control = Buffer.concat([Buffer.of(dice.pick([0xc0, 0xc1, 0x50])), key.xonly, Buffer.alloc(32 * dice.below(3), 9)]);
    const tree = (): Buffer => Buffer.concat([Buffer.of(depth), Buffer.of(dice.pick([0xc0, 0xc0, 0xc1])), prefixed(INNER)]);
    switch (kind) {
      case 'xpub':
        return one(
          1,
          Buffer.concat([
            Buffer.from('043587cf', 'hex'),
            Buffer.of(dice.chance(0.95) ? 1 : 0),
            Buffer.alloc(8, 1),
            Buffer.alloc(32, 2),
            key.publicKey,
          ]),
          origin,
        );
      case 'proprietary':
        return one(
          0xfc,
          Buffer.concat([prefixed(Buffer.from('ab')), compactSize(dice.below(300)), Buffer.alloc(dice.below(3), 1)]),
          Buffer.alloc(dice.below(5), 2),
        );
      case 'unknown':
        return one(dice.pick([0x30, 0x7f, 0xf0, 0xfd, 0x1d, 0x09]), Buffer.alloc(dice.below(3), 1), Buffer.alloc(dice.below(5), 2));
      case 'signature':
        return one(2, dice.pick([key.publicKey, key.uncompressed]), signature);
      case 'sighash':
        return one(3, '', le32(dice.pick([0, 1, 2, 3, 0x81, 0x83, 4, 0x100])));
      case 'redeem':
      case 'outRedeem':
        return one(kind === 'redeem' ? 4 : 0, '', dice.pick([INNER, Buffer.of(0x51), Buffer.alloc(0)]));
      case 'witness':
      case 'outWitness':
        return one(kind === 'witness' ? 5 : 1, '', dice.pick([INNER, Buffer.of(0x51)]));
      case 'key':
      case 'outKey':
        return one(kind === 'key' ? 6 : 2, key.publicKey, origin);
      case 'scriptSig':
        return one(7, '', dice.pick([Buffer.of(1, 0x51), Buffer.alloc(0)]));
      case 'scriptWitness':
        return one(8, '', dice.pick([Buffer.of(1, 1, 0x51), Buffer.of(0), Buffer.concat([Buffer.of(1), prefixed(INNER)])]));
      case 'preimage': {
        const [type, hash] = dice.pick([
          [0x0b, sha256(PREIMAGE)],
          [0x0c, hash160(PREIMAGE)],
          [0x0d, sha256(sha256(PREIMAGE))],
          [0x0a, Buffer.alloc(20, 1)],
        ] as const);
        return one(type, hash, PREIMAGE);
      }
      case 'tapSignature':
        return one(0x13, '', Buffer.alloc(dice.pick([64, 65]), 3));
      case 'tapLeafSignature':
        return one(0x14, Buffer.concat([key.xonly, Buffer.alloc(32, 4)]), Buffer.alloc(dice.pick([64, 65]), 3));
      case 'leaf':
        return one(0x15, control, leafScript);
      case 'tapKey':
      case 'outTapKey':
        return one(kind === 'tapKey' ? 0x16 : 7, key.xonly, tapKey);
      case 'internal':
      case 'outInternal':
        return one(kind === 'internal' ? 0x17 : 5, '', key.xonly);
      case 'root':
        return one(0x18, '', Buffer.alloc(32, 6));
      case 'musig':
      case 'outMusig':
        return one(kind === 'musig' ? 0x1a : 8, KEYS[3]!.publicKey, participants);
      case 'nonce':
        return one(
          0x1b,
          Buffer.concat([key.publicKey, KEYS[3]!.publicKey, Buffer.alloc(32 * dice.below(2), 1)]),
          Buffer.concat([aggregate]),
        );
      case 'partial':
        return one(0x1c, Buffer.concat([key.publicKey, KEYS[3]!.publicKey, Buffer.alloc(32 * dice.below(2), 1)]), Buffer.alloc(32, 1));
      default:
        return one(6, '', depth === 0 ? tree() : Buffer.concat([tree(), tree()]));
    }
  }
}
