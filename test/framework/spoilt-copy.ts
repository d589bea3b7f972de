// A short chain whose block `target` has a witness, and a mutated copy of this block: the same header and txids,
// another witness. In `bad` chains the witness of the block itself is invalid, and that of the copy is valid.
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from './chain-builder.js';
import { compactSize, serializeTx, TRUE_SCRIPT, TRUE_WITNESS, type Tx, txid } from './messages.js';

/** Blocks that the tests submit. */
export interface CopyStory {
  /** 110 empty blocks. */
  readonly trunk: readonly BuiltBlock[];
  /** Blocks after the trunk: one that creates the coin, then empty ones. */
  readonly before: readonly BuiltBlock[];
  /** Block at height 113 that spends the coin with a witness. */
  readonly target: BuiltBlock;
  /** Bytes of the copy. */
  readonly copy: Buffer;
  /** Three empty blocks after the target. */
  readonly after: readonly BuiltBlock[];
}

/** A witness that fails for an output with the witness script OP_1, because the hash of this script is another one. */
const WRONG_WITNESS = [Buffer.from([0x52])];

/** Serialises a block with other transactions after its coinbase. */
export function withTxs(block: BuiltBlock, txs: readonly Tx[]): Buffer {
  const all = [block.txs[0] as Tx, ...txs];
  return Buffer.concat([block.header, compactSize(all.length), ...all.map((tx) => serializeTx(tx))]);
}

/**
 * @param good true: the block itself is valid and the copy is not
 * @param between number of empty blocks before the target
 */
export function copyStory(good: boolean, between = 1): CopyStory {
  const trunk = buildChain(GENESIS, 110);
  const coin = reward(trunk[0] as BuiltBlock);
  const pay = spend([coin], [{ value: coin.value, script: TRUE_SCRIPT }]);
  const first = buildBlock(trunk[109] as BuiltBlock, { txs: [pay] });
  const before = [first, ...buildChain(first, between)];
  const plain = spend([{ txid: txid(pay), index: 0, value: coin.value }], [{ value: coin.value, script: ANYONE }]);
  const witnessed = (witness: readonly Buffer[]): Tx => ({
    ...plain,
    ins: [{ ...(plain.ins[0] as Tx['ins'][number]), witness: [...witness] }],
  });
  const [own, other] = good ? [TRUE_WITNESS, WRONG_WITNESS] : [WRONG_WITNESS, TRUE_WITNESS];
  const target = buildBlock(before.at(-1) as BuiltBlock, { txs: [witnessed(own)] });
  return { trunk, before, target, copy: withTxs(target, [witnessed(other)]), after: buildChain(target, 3) };
}
