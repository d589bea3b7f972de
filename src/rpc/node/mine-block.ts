// Mines a block without proof of work: sets extra nonce, merkle root, and nonce. Also adds chosen transactions to an
// empty block, with a new witness commitment. Core 0.21: miner.cpp, rpc/mining.cpp GenerateBlock.
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { buildBlock, buildHeader } from '../../consensus/block/build-block.js';
import { blockMerkleRoot, WITNESS_COMMITMENT_HEADER, witnessCommitmentIndex, witnessMerkleRoot } from '../../consensus/block/merkle.js';
import { targetOf } from '../../consensus/rules/bits.js';
import { plainPush, pushNumber } from '../../consensus/script/build-script.js';
import { buildTx, type TxFields } from '../../consensus/tx/build-tx.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { only } from '../../policy/compat.js';
import type { NodeContext } from '../context/node.js';
import { hashHex } from '../render/hex.js';

/** Number of nonces that are tried per header. The last nonce, 0xffffffff, is not tried, as in Core. */
const NONCES = 0xffff_ffff;

/** Hashes that may still be tried, over all blocks of a call. */
export class MiningBudget {
  left: number;
  constructor(tries: number) {
    this.left = tries;
  }
  get spent(): boolean {
    return this.left <= 0;
  }
}

/** Returns the fields of a coinbase, to build it again with changes. */
function coinbaseFields(tx: TxView): TxFields {
  return {
    version: tx.version,
    inputs: [
      {
        prevHash: tx.prevHash(0),
        prevIndex: tx.prevIndex(0),
        scriptSig: tx.scriptSig(0),
        sequence: tx.sequence(0),
        witness: tx.witness(0),
      },
    ],
    outputs: Array.from({ length: tx.outputCount }, (_, i) => ({ value: tx.outputValue(i), script: tx.outputScript(i) })),
    locktime: tx.locktime,
  };
}

/** Returns the block with another coinbase and other transactions, and the merkle root of those. */
function rebuilt(ctx: NodeContext, block: BlockView, coinbase: TxFields, rest: readonly Uint8Array[]): BlockView {
  const { header } = block;
  const fields = { version: header.version, prevHash: header.prevHash, time: header.time, bits: header.bits, nonce: 0 };
  const txs = [buildTx(coinbase), ...rest];
  const draft = parseBlock(buildBlock(buildHeader({ ...fields, merkleRoot: new Uint8Array(32) }), txs), ctx.crypto);
  return parseBlock(buildBlock(buildHeader({ ...fields, merkleRoot: blockMerkleRoot(draft).root }), txs), ctx.crypto);
}

const bytesAfterCoinbase = (block: BlockView): Uint8Array[] => block.txs.slice(1).map((tx) => tx.bytes);

/**
 * Encodes a small positive number as a script number: lowest byte first, and a zero byte if the highest bit would be
 * set.
 */
function scriptNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  if (bytes[bytes.length - 1] >= 0x80) bytes.push(0);
  return Uint8Array.from(bytes);
}

const joined = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** Adds transactions to an empty block, and commits to them. */
export function withTransactions(ctx: NodeContext, block: BlockView, txs: readonly TxView[]): BlockView {
  const rest = txs.map((tx) => tx.bytes);
  const coinbase = coinbaseFields(block.txs[0]);
  const draft = rebuilt(ctx, block, coinbase, rest);
  const at = witnessCommitmentIndex(block.txs[0]);
  if (at < 0) return draft;
  const commitment = ctx.crypto.sha256d(joined(witnessMerkleRoot(draft).root, coinbase.inputs[0].witness?.[0] ?? new Uint8Array(32)));
  const outputs = coinbase.outputs.filter((_, i) => i !== at);
  outputs.push({ value: 0, script: joined(WITNESS_COMMITMENT_HEADER, commitment) });
  return rebuilt(ctx, block, { ...coinbase, outputs }, rest);
}

/** Mines one block after another within one budget. The extra nonce starts again with each new parent. */
export class BlockMiner {
  readonly #ctx: NodeContext;
  readonly #budget: MiningBudget;
  #parent = '';
  #extraNonce = 0;

  constructor(ctx: NodeContext, budget: MiningBudget) {
    this.#ctx = ctx;
    this.#budget = budget;
  }

  /** Mines a block. @returns null if the budget is spent or the nonces are used up */
  async mine(block: BlockView): Promise<BlockView | null> {
    if (this.#budget.spent) return null;
    // Core adds no extra nonce since release 30.
    const candidate = only(this.#ctx.compat, 30) ? block : this.#withExtraNonce(block);
    const { bits } = candidate.header;
    const target = targetOf(bits, this.#ctx.params.powLimit);
    if (target === null) return null;
    const maxTries = Math.min(this.#budget.left, NONCES);
    const { nonce } = await this.#ctx.grinder.grind(candidate.header.bytes, target, { maxTries });
    this.#budget.left -= nonce ?? maxTries;
    if (nonce === null) return null;
    const bytes = new Uint8Array(candidate.bytes);
    new DataView(bytes.buffer).setUint32(76, nonce, true);
    return parseBlock(bytes, this.#ctx.crypto);
  }

  #withExtraNonce(block: BlockView): BlockView {
    const parent = hashHex(block.header.prevHash);
    if (parent !== this.#parent) this.#extraNonce = 0;
    this.#parent = parent;
    this.#extraNonce++;
    const height = (this.#ctx.chain.node(block.header.prevHash)?.height ?? -1) + 1;
    const coinbase = coinbaseFields(block.txs[0]);
    const scriptSig = joined(pushNumber(height), plainPush(scriptNumber(this.#extraNonce)));
    const inputs = [{ ...coinbase.inputs[0], scriptSig }];
    return rebuilt(this.#ctx, block, { ...coinbase, inputs }, bytesAfterCoinbase(block));
  }
}
