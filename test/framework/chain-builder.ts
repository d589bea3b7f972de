// Makes regtest blocks for tests: coinbase, optional transactions, witness commitment, proof of work. messages.ts
// serialises them, so no code under test is involved.
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

/** OP_TRUE: anyone can spend the output with an empty scriptSig. */
export const ANYONE = Buffer.from([0x51]);
/** OP_FALSE: no scriptSig satisfies the script, but the transaction breaks no other rule. */
export const NO_ONE = Buffer.from([0x00]);
export const REGTEST_BITS = 0x207fffff;
const COMMITMENT_HEAD = Buffer.from('6a24aa21a9ed', 'hex');
const HALVING = 150;

/** A block with its parts, as tests need it. */
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
  /** Satoshis that the coinbase claims in addition to the subsidy. Tests may give a wrong amount. */
  readonly fees?: number;
  readonly time?: number;
  readonly version?: number;
  readonly bits?: number;
  /** Output script of the reward. */
  readonly script?: Uint8Array;
  /** Additional outputs of the coinbase. */
  readonly outs?: readonly Out[];
  /** Number in the coinbase that makes otherwise equal blocks differ. */
  readonly tag?: number;
  /** Height in the coinbase, if it should be wrong. */
  readonly coinbaseHeight?: number;
  /** False: omit the witness commitment. */
  readonly commitment?: boolean;
  /** True: commit to wrong witnesses. */
  readonly breakCommitment?: boolean;
  /** True: change the merkle root at the end, so that it does not match the transactions. */
  readonly breakMerkle?: boolean;
  /** True: omit the proof of work. */
  readonly unsolved?: boolean;
}

/** Returns the subsidy on regtest in satoshis. */
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

/** Finds a nonce with which the header does not meet the target. */
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

/**
 * Returns a transaction that spends outputs that anyone can spend. Its outputs have equal values; the remainder is the
 * fee.
 */
export function spend(
  coins: readonly { readonly txid: Buffer; readonly index: number; readonly value: number }[],
  outs: readonly Out[],
  rest: Partial<Pick<Tx, 'version' | 'locktime'>> & { sequence?: number } = {},
): Tx {
  const ins = coins.map(({ txid: id, index }) => ({ txid: id, index, sequence: rest.sequence ?? 0xffffffff }));
  return { version: rest.version ?? 2, ins, outs: [...outs], locktime: rest.locktime ?? 0 };
}

/** Returns the reward of a block as a coin. */
export function reward(block: BuiltBlock): { txid: Buffer; index: number; value: number } {
  return { txid: block.txids[0]!, index: 0, value: block.txs[0]!.outs[0]!.value };
}

/** Returns the 36 bytes of an outpoint. */
export function outpoint(id: Buffer, index: number): Uint8Array {
  const bytes = new Uint8Array(36);
  bytes.set(id);
  new DataView(bytes.buffer).setUint32(32, index, true);
  return bytes;
}
