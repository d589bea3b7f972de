// Context-free rules of a block. They run before a block is stored, again before it is connected, and for proposals.

import type { Crypto } from '../../crypto/crypto.js';
import type { BlockView } from '../block/block-view.js';
import type { HeaderView } from '../block/header-view.js';
import { blockMerkleRoot } from '../block/merkle.js';
import { equalBytes, hashToHex } from '../bytes/hex.js';
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, WITNESS_SCALE_FACTOR } from '../limits.js';
import type { ChainParams } from '../params/chain-params.js';
import { legacySigops } from '../script/sigops.js';
import type { Verdict } from '../state.js';
import type { TxView } from '../tx/tx-view.js';
import { proofOfWork } from './bits.js';
import { checkTransaction } from './check-transaction.js';
import { reject } from './reject.js';
import { checkSignetSolution } from './signet.js';

/** Checks to run. */
export interface CheckBlockOptions {
  /** Check proof of work and, on signet, the block's signature; default true. */
  checkPow?: boolean;
  /** Check the merkle root; default true. False for templates. */
  checkMerkle?: boolean;
}

/** Checks the header's hash against its bits. */
export function checkProofOfWork(header: HeaderView, params: ChainParams): Verdict {
  return proofOfWork(header.hash, header.bits, params.powLimit) ? null : reject('invalid-header', 'high-hash', 'proof of work failed');
}

/**
 * Runs the context-free rules in Core's order. The block view remembers that all rules passed; they are then not
 * repeated.
 */
export function checkBlock(block: BlockView, params: ChainParams, crypto: Crypto, opts: CheckBlockOptions = {}): Verdict {
  if (block.checked) return null;
  const checkPow = opts.checkPow ?? true;
  const checkMerkle = opts.checkMerkle ?? true;
  let verdict: Verdict = null;
  if (checkPow) verdict = checkProofOfWork(block.header, params) ?? checkSignetSolution(block, params, crypto);
  if (verdict === null && checkMerkle) verdict = checkMerkleRoot(block);
  verdict ??= checkShape(block) ?? checkTransactions(block) ?? checkLegacySigops(block);
  if (verdict === null && checkPow && checkMerkle) block.checked = true;
  return verdict;
}

/** Checks that the transactions are those that the header commits to. The block view remembers a pass. */
export function checkMerkleRoot(block: BlockView): Verdict {
  if (block.merkleChecked) return null;
  const { root, mutated } = blockMerkleRoot(block);
  if (!equalBytes(root, block.header.merkleRoot)) return reject('mutated', 'bad-txnmrklroot', 'hashMerkleRoot mismatch');
  // A list with a repeated end has the same root as the valid list, so the block's hash must not be marked as invalid
  // (CVE-2012-2459).
  if (mutated) return reject('mutated', 'bad-txns-duplicate', 'duplicate transaction');
  block.merkleChecked = true;
  return null;
}

function checkShape(block: BlockView): Verdict {
  const count = block.txs.length;
  const max = MAX_BLOCK_WEIGHT / WITNESS_SCALE_FACTOR;
  if (count === 0 || count > max || block.strippedSize > max) return reject('consensus', 'bad-blk-length', 'size limits failed');
  if (!block.txs[0].isCoinbase) return reject('consensus', 'bad-cb-missing', 'first tx is not coinbase');
  for (let i = 1; i < count; i++) {
    if (block.txs[i].isCoinbase) return reject('consensus', 'bad-cb-multiple', 'more than one coinbase');
  }
  return null;
}

function checkTransactions(block: BlockView): Verdict {
  for (const tx of block.txs) {
    const verdict = tx.facts === null ? checkTransaction(tx) : null;
    if (verdict !== null) {
      return { ...verdict, debug: `Transaction check failed (tx hash ${hashToHex(tx.txid)}) ${verdict.debug}` };
    }
  }
  return null;
}

function checkLegacySigops({ txs }: BlockView): Verdict {
  const legacyCost = (tx: TxView): number => legacySigops(tx) * WITNESS_SCALE_FACTOR;
  const sum = (cost: (tx: TxView) => number): number => txs.reduce((total, tx) => total + cost(tx), 0);
  // facts.sigopCost includes the cost of the legacy operations. If the sum of either is within the limit, so are the
  // legacy operations.
  if (sum((tx) => tx.facts?.sigopCost ?? legacyCost(tx)) <= MAX_BLOCK_SIGOPS_COST) return null;
  return sum(legacyCost) > MAX_BLOCK_SIGOPS_COST ? reject('consensus', 'bad-blk-sigops', 'out-of-bounds SigOpCount') : null;
}
