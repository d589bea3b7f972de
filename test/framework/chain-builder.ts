// Makes regtest blocks for tests: coinbase, optional transactions, witness commitment, solved. Serialisation comes from
// messages.ts, so nothing here was made by the code under test.
import {
  compactSize,
  grind,
  type Header,
  hash256,
  merkleRoot,
  type Out,
  scriptNumber,
  serializeHeader,
  serializeTx,
  shown,
  type Tx,
  txid,
} from './messages.js';

/** OP_TRUE: anyone may spend, with nothing. */
export const ANYONE = Buffer.from([0x51]);
/** OP_FALSE, then nothing else: can never be satisfied, and fails only in the script. */
export const NO_ONE = Buffer.from([0x00]);
export const REGTEST_BITS = 0x207fffff;
const COMMITMENT_HEAD = Buffer.from('6a24aa21a9ed', 'hex');
const HALVING = 150;

/** A block as tests handle it. */
export interface BuiltBlock {
  readonly hash: Buffer;
  readonly hashHex: string;
  readonly prev: BuiltBlock | null;
  readonly height: number;
  readonly time: number;
  readonly header: Buffer;
  readonly bytes: Buffer;
  /** Coinbase first. */
  readonly txs: readonly Tx[];
  readonly txids: readonly Buffer[];
}

export interface BlockPlan {
  /** Transactions after the coinbase. */
  readonly txs?: readonly Tx[];
  /** Fees in satoshi that the coinbase claims in addition to the subsidy; may be wrong on purpose. */
  readonly fees?: number;
  readonly time?: number;
  readonly version?: number;
  readonly bits?: number;
  /** Where the reward goes. */
  readonly script?: Uint8Array;
  /** More outputs of the coinbase. */
  readonly outs?: readonly Out[];
  /** Makes coinbases, and so blocks, differ. */
  readonly tag?: number;
  /** Put in another height than the real one. */
  readonly coinbaseHeight?: number;
  /** false: leave the witness commitment out. */
  readonly commitment?: boolean;
  /** Commit to other witnesses. */
  readonly breakCommitment?: boolean;
  /** Change the merkle root after everything else: the block no longer fits its header. */
  readonly breakMerkle?: boolean;
  /** Leave the proof of work undone. */
  readonly unsolved?: boolean;
}

/** Subsidy on regtest, satoshi. */
export const subsidy = (height: number): number => Math.floor(5_000_000_000 / 2 ** Math.floor(height / HALVING));

/** The regtest genesis block as a parent. */
export const GENESIS: BuiltBlock = {
  hash: Buffer.from('0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206', 'hex').reverse(),
  hashHex: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  prev: null,
  height: 0,
  time: 1296688602,
  header: Buffer.alloc(0),
  bytes: Buffer.alloc(0),
  txs: [],
  txids: [],
};

/** Default seconds between blocks. */
export const SPACING = 600;

/** Builds and solves a child of `prev`. */
export function buildBlock(prev: BuiltBlock, plan: BlockPlan = {}): BuiltBlock {
  const height = prev.height + 1;
  const others = [...(plan.txs ?? [])];
  const tag = Buffer.alloc(8);
  tag.writeDoubleLE(plan.tag ?? 0);
  const outs: Out[] = [{ value: subsidy(height) + (plan.fees ?? 0), script: plan.script ?? ANYONE }, ...(plan.outs ?? [])];
  const commit = plan.commitment ?? true;
  if (commit) {
    const root = merkleRoot([Buffer.alloc(32), ...others.map((tx) => hash256(serializeTx(tx)))]);
    if (plan.breakCommitment) root[0]! ^= 1;
    outs.push({ value: 0, script: Buffer.concat([COMMITMENT_HEAD, hash256(Buffer.concat([root, Buffer.alloc(32)]))]) });
  }
  const script = Buffer.concat([scriptNumber(plan.coinbaseHeight ?? height), Buffer.from([8]), tag]);
  const witness = commit ? [Buffer.alloc(32)] : [];
  const coinbase: Tx = { version: 2, ins: [{ txid: Buffer.alloc(32), index: 0xffffffff, script, witness }], outs, locktime: 0 };
  const txs = [coinbase, ...others];
  const txids = txs.map(txid);
  const root = merkleRoot(txids);
  if (plan.breakMerkle) root[0]! ^= 1;
  const time = plan.time ?? prev.time + SPACING;
  const header: Header = {
    version: plan.version ?? 0x20000000,
    prev: prev.hash,
    merkleRoot: root,
    time,
    bits: plan.bits ?? REGTEST_BITS,
    nonce: 0,
  };
  const hash = plan.unsolved ? spoil(header) : grind(header);
  const head = serializeHeader(header);
  const bytes = Buffer.concat([head, compactSize(txs.length), ...txs.map((tx) => serializeTx(tx))]);
  return { hash, hashHex: shown(hash), prev, height, time, header: head, bytes, txs, txids };
}

/** Finds a nonce that does not meet the target. */
function spoil(header: Header): Buffer {
  for (;;) {
    const hash = hash256(serializeHeader(header));
    if (hash[31]! >= 0x80) return hash;
    header.nonce++;
  }
}

/** A number of empty blocks, lowest first. */
export function buildChain(prev: BuiltBlock, count: number, plan: BlockPlan = {}): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (let tip = prev; blocks.length < count; ) {
    tip = buildBlock(tip, plan);
    blocks.push(tip);
  }
  return blocks;
}

/** A transaction that spends outputs anyone may spend, to equal parts; the fee is what is left. */
export function spend(
  coins: readonly { readonly txid: Buffer; readonly index: number; readonly value: number }[],
  outs: readonly Out[],
  rest: Partial<Pick<Tx, 'version' | 'locktime'>> & { sequence?: number } = {},
): Tx {
  const ins = coins.map(({ txid: id, index }) => ({ txid: id, index, sequence: rest.sequence ?? 0xffffffff }));
  return { version: rest.version ?? 2, ins, outs: [...outs], locktime: rest.locktime ?? 0 };
}

/** The reward of a block as a coin. */
export function reward(block: BuiltBlock): { txid: Buffer; index: number; value: number } {
  return { txid: block.txids[0]!, index: 0, value: block.txs[0]!.outs[0]!.value };
}

/** The 36 bytes that name an output. */
export function outpoint(id: Buffer, index: number): Uint8Array {
  const bytes = new Uint8Array(36);
  bytes.set(id);
  new DataView(bytes.buffer).setUint32(32, index, true);
  return bytes;
}
