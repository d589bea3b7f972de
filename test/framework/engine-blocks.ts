// Random blocks for the engine's tests: coins of every kind, and blocks that mostly keep the rules and often sit on their
// limits. Scripts do not run below the assumed-valid block, so signatures are any bytes.
import type { ChainParams } from '../../src/consensus/params/chain-params.js';
import { blockSubsidy } from '../../src/consensus/rules/subsidy.js';
import { encodeCoin } from '../../src/storage/codec/coin.js';
import { ModelNode } from './law-model.js';
import {
  compactSize,
  hash256,
  type In,
  merkleRoot,
  type Out,
  push,
  scriptNumber,
  serializeHeader,
  serializeTx,
  type Tx,
  txid,
} from './messages.js';
import { Random } from './mutate.js';

export const MONEY = 2_100_000_000_000_000;
const FINAL = 0xffffffff;
const HEADER_TIME = 1_700_000_000;

/** State of a chain for which a block is made: the parent of the block, and coins. */
export interface World {
  readonly parent: ModelNode;
  readonly coins: Map<string, Uint8Array>;
  readonly list: readonly { txid: Buffer; index: number; value: number; script: Buffer; height: number; coinbase: boolean }[];
  readonly medianTimes: number[];
}

/** A parent at `height`, and coins at random heights up to it. */
export function randomWorld(random: Random, height: number, coins: number): World {
  const { parent, medianTimes } = headersTo(height);
  const list = [];
  const map = new Map<string, Uint8Array>();
  for (let i = 0; i < coins; i++) {
    const coin = {
      txid: Buffer.from(random.bytes(32)),
      index: random.pick([0, 0, 1, 252, 253, 65_536, 0xfffffffe]),
      value: randomValue(random),
      script: randomScript(random),
      height: random.pick([0, 1, random.below(height + 1), Math.max(0, height - 98 - random.below(4)), height]),
      coinbase: random.below(3) === 0,
    };
    if (coin.script.length > 10_000 || coin.script[0] === 0x6a) continue;
    list.push(coin);
    const outpoint = Buffer.alloc(36);
    coin.txid.copy(outpoint);
    outpoint.writeUInt32LE(coin.index, 32);
    map.set(outpoint.toString('hex'), encodeCoin(coin));
  }
  return { parent, coins: map, list, medianTimes };
}

const headers = new Map<number, Pick<World, 'parent' | 'medianTimes'>>();
/** Returns headers up to a height, with irregular times. The result is the same for each call. */
function headersTo(height: number): Pick<World, 'parent' | 'medianTimes'> {
  const known = headers.get(height);
  if (known !== undefined) return known;
  const random = new Random(height);
  const hash = Buffer.alloc(32, 1);
  let parent: ModelNode | null = null;
  const medianTimes: number[] = [];
  for (let h = 0; h <= height; h++) {
    parent = new ModelNode(parent, HEADER_TIME + h * 600 + random.below(3_000), 0x207fffff, 0x20000000, hash, h);
    medianTimes.push(parent.medianTimePast());
  }
  const made = { parent: parent as ModelNode, medianTimes };
  headers.set(height, made);
  return made;
}

function randomValue(random: Random): number {
  return random.pick([
    0,
    1,
    546,
    1_000 + random.below(1_000_000),
    random.below(50) * 100_000_000,
    random.below(5_000_000_000),
    10 ** random.below(12),
    random.below(20) === 0 ? MONEY : 7,
  ]);
}

/** Bytes of opcodes with many signature operations, pushes, and truncated pushes. */
export function randomOps(random: Random, most: number): Buffer {
  const parts: Buffer[] = [];
  for (let n = random.below(most); n > 0; n--) parts.push(randomOp(random));
  return Buffer.concat(parts);
}

function randomOp(random: Random): Buffer {
  switch (random.below(8)) {
    case 0:
      return Buffer.from([random.pick([0xac, 0xad, 0xae, 0xaf])]);
    case 1:
      return Buffer.from([0x51 + random.below(16), 0xae]);
    case 2:
      return Buffer.from([0x50, 0xae]);
    case 3:
      return push(random.bytes(random.below(80)));
    case 4:
      return Buffer.from([0x4c, random.below(4)]);
    case 5:
      return Buffer.from([0x4d, random.below(4), random.below(2)]);
    case 6:
      return Buffer.from([0x4e, random.below(4), 0, 0, random.pick([0, 0, 0xff])]);
    default:
      return Buffer.from([random.below(256)]);
  }
}

/** Returns a random script of one of the stored forms, or one that differs slightly from such a form. */
export function randomScript(random: Random): Buffer {
  const hash = Buffer.from(random.bytes(20));
  const long = Buffer.from(random.bytes(32));
  const near = (script: Buffer): Buffer => {
    if (random.below(8) === 0) script[random.below(script.length)] ^= 1 << random.below(8);
    return random.below(16) === 0 ? Buffer.concat([script, Buffer.from([0])]) : script;
  };
  switch (random.below(12)) {
    case 0:
      return near(Buffer.concat([Buffer.from('76a914', 'hex'), hash, Buffer.from('88ac', 'hex')]));
    case 1:
    case 2:
      return near(Buffer.concat([Buffer.from('a914', 'hex'), hash, Buffer.from('87', 'hex')]));
    case 3:
      return near(Buffer.concat([Buffer.from([33, 2 + random.below(2)]), long, Buffer.from([0xac])]));
    case 4:
      return near(Buffer.concat([Buffer.from([65, 4]), long, long, Buffer.from([0xac])]));
    case 5:
      return near(Buffer.concat([Buffer.from([0, 20]), hash]));
    case 6:
      return near(Buffer.concat([Buffer.from([0, 32]), long]));
    case 7:
      return near(Buffer.concat([Buffer.from([0x51, 32]), long]));
    case 8:
      return Buffer.concat([Buffer.from([0x6a]), randomOps(random, 4)]);
    case 9:
      return Buffer.alloc(0);
    case 10:
      return random.below(6) === 0
        ? Buffer.alloc(random.pick([9_999, 10_000, 10_001, 70_000]), random.pick([0x51, 0xac, 0x6a]))
        : Buffer.from([0x51]);
    default:
      return randomOps(random, 12);
  }
}

function randomSequence(random: Random): number {
  return (
    random.pick([
      FINAL,
      FINAL - 1,
      0,
      1 + random.below(150),
      random.below(0x1_0000),
      0x400000 | random.below(200),
      0x400000 | random.below(0x1_0000),
      0x80000000 | random.below(1_000),
      (0x80400000 + random.below(100)) >>> 0,
    ]) >>> 0
  );
}

/** Returns a random scriptSig: pushes with a redeem script that may be a witness program, or random bytes. */
function randomUnlocking(random: Random): Buffer {
  if (random.below(5) === 0) return random.below(2) === 0 ? Buffer.alloc(0) : randomOps(random, 6);
  const redeem = push(random.below(2) === 0 ? randomOps(random, 8) : randomScript(random).subarray(0, 500));
  switch (random.below(3)) {
    case 0:
      return redeem;
    case 1:
      return Buffer.concat([push(random.bytes(71)), redeem]);
    default:
      return Buffer.concat([redeem, Buffer.from([0x51 + random.below(17)])]);
  }
}

function randomWitness(random: Random): Uint8Array[] {
  if (random.below(3) > 0) return [];
  const length = random.below(100) === 0 ? 300 : random.pick([1, 2, 2, 5]);
  return Array.from({ length }, () => (random.below(2) === 0 ? random.bytes(random.below(20)) : randomOps(random, 5)));
}

/** Fields of a block, for mutations before it is sealed. */
export interface BlockDraft {
  readonly txs: Tx[];
  /** The witness commitment; null for none. */
  commit: boolean;
  reserved: Buffer;
}

type Spendable = Pick<World['list'][number], 'txid' | 'index' | 'value'>;

/** Returns a block for a world that usually obeys the rules. */
export function randomDraft(random: Random, world: World, params: ChainParams): BlockDraft {
  const height = world.parent.height + 1;
  const free: Spendable[] = world.list.filter((coin) => random.below(8) === 0 || !coin.coinbase || height - coin.height >= 100);
  const txs: Tx[] = [];
  let fees = 0;
  for (let n = random.pick([0, 1, 2, 3, 8, 20]); n > 0 && free.length > 0; n--) {
    const inputs = Math.min(free.length, random.pick([1, 1, 1, 2, 3, 9, 18]));
    let value = 0;
    const ins: In[] = [];
    for (let i = 0; i < inputs; i++) {
      const coin = free.splice(random.below(free.length), 1)[0] as Spendable;
      if (value + coin.value > MONEY && random.below(10) > 0) continue;
      value += coin.value;
      ins.push({
        txid: coin.txid,
        index: coin.index,
        script: randomUnlocking(random),
        sequence: random.below(2) === 0 ? FINAL : randomSequence(random),
        witness: randomWitness(random),
      });
    }
    if (ins.length === 0) continue;
    const outs: Out[] = [];
    let left = value;
    for (let i = random.pick([1, 1, 2, 3, 20]); i > 0; i--) {
      const part = random.pick([left, Math.floor(left / 2), 0, Math.min(left, 546)]);
      left -= part;
      outs.push({ value: part, script: randomScript(random) });
    }
    if (random.below(60) === 0) (outs[0] as Out).value += left + 1;
    const tx: Tx = {
      version: random.pick([1, 2, 2, 3, -1, 0]),
      ins,
      outs,
      locktime: random.pick([0, 0, 0, height - 1, random.below(40) === 0 ? height : 0, HEADER_TIME - 1]),
    };
    fees += left;
    txs.push(tx);
    const id = txid(tx);
    outs.forEach((out, index) => {
      if (random.below(2) === 0 && out.script[0] !== 0x6a && out.script.length <= 10_000) free.push({ txid: id, index, value: out.value });
    });
  }
  const claimed = random.pick([0, fees, fees, fees, fees + (random.below(20) === 0 ? 1 : 0)]);
  const script = Buffer.concat([scriptNumber(height), random.bytes(2 + random.below(random.below(20) === 0 ? 100 : 20))]);
  const coinbase: Tx = {
    version: 2,
    ins: [{ txid: Buffer.alloc(32), index: 0xffffffff, script, sequence: FINAL, witness: [] }],
    outs: [{ value: Math.min(MONEY, blockSubsidy(height, params) + claimed), script: randomScript(random) }],
    locktime: 0,
  };
  return { txs: [coinbase, ...txs], commit: random.below(6) > 0 || txs.some(hasWitness), reserved: Buffer.from(random.bytes(32)) };
}

const hasWitness = (tx: Tx): boolean => tx.ins.some((input) => (input.witness?.length ?? 0) > 0);

/** Returns the bytes of a block with these transactions, with the commitment and merkle root computed. */
export function sealDraft(draft: BlockDraft, parent: ModelNode, time = parent.time + 600): Buffer {
  const [first, ...others] = draft.txs;
  let coinbase = first as Tx;
  if (draft.commit) {
    const root = merkleRoot([Buffer.alloc(32), ...others.map((tx) => hash256(serializeTx(tx)))]);
    const commitment = hash256(Buffer.concat([root, draft.reserved]));
    coinbase = {
      ...coinbase,
      ins: coinbase.ins.map((input, i) => (i === 0 && input.witness?.length === 0 ? { ...input, witness: [draft.reserved] } : input)),
      outs: [...coinbase.outs, { value: 0, script: Buffer.concat([Buffer.from('6a24aa21a9ed', 'hex'), commitment]) }],
    };
  }
  const txs = [coinbase, ...others];
  const header = {
    version: 0x20000000,
    prev: Buffer.from(parent.hash),
    merkleRoot: merkleRoot(txs.map(txid)),
    time,
    bits: 0x207fffff,
    nonce: 0,
  };
  return Buffer.concat([serializeHeader(header), compactSize(txs.length), ...txs.map((tx) => serializeTx(tx))]);
}
