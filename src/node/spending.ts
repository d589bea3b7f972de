// What the node lends to payments of its wallets: rates, the mempool's view of unconfirmed relatives, and the way out.
// Called by start.

import type { Chain } from '../chain/chain.js';
import { hashKey } from '../consensus/bytes/hex.js';
import { rejectText } from '../consensus/state.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import type { MempoolEntry } from '../mempool/entry.js';
import type { Mempool } from '../mempool/mempool.js';
import type { SigningThreads } from '../signing/sign-transaction.js';
import { createChance } from '../wallet/spend/chance.js';
import type { SpendNode } from '../wallet/spend/spend-node.js';

export interface SpendingDeps {
  readonly chain: Chain;
  readonly mempool: Mempool;
  /** -limitancestorcount and -limitdescendantcount: coins with more unconfirmed relatives are not chosen. */
  readonly mostRelatives: { readonly ancestors: number; readonly descendants: number };
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly signingThreads: SigningThreads;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createSpending({ chain, mempool, mostRelatives, crypto, signer, signingThreads, clock, log }: SpendingDeps): SpendNode {
  const { fees, options } = mempool;
  return {
    crypto,
    signer,
    signingThreads,
    chance: createChance(),
    nowSeconds: () => clock.nowSeconds(),
    estimate: (target, conservative) => fees.smart(target, conservative),
    longestTarget: fees.highestTarget('long'),
    rates: () => {
      const { minFeeRate, minRelayFeeRate, incrementalFeeRate } = mempool.stats();
      return {
        poolMinimum: minFeeRate > minRelayFeeRate ? minFeeRate : 0,
        relayMinimum: minRelayFeeRate,
        incremental: incrementalFeeRate,
        dust: options.policy.dustFeeRate,
      };
    },
    maxAncestors: mostRelatives.ancestors,
    maxDescendants: mostRelatives.descendants,
    relatives: (txid) => {
      const entry = mempool.get(txid);
      if (!entry) return { ancestors: 0, descendants: 0, cluster: 0 };
      return { ancestors: entry.ancestorCount, descendants: mostDescendants(mempool, entry), cluster: mempool.clusterCount(entry) };
    },
    bumpFees: (outpoints, feeRate) => mempool.bumpFees(outpoints, feeRate),
    hasDescendants: (txid) => (mempool.get(txid)?.descendantCount ?? 0) > 1,
    fitsChainLimits: (tx) => fitsChainLimits(mempool, tx) && mempool.fitsCluster(tx),
    broadcast: async (tx, maxFeeSats, relay) => {
      const { txid } = tx;
      if (mempool.get(txid) === undefined) {
        const { reject, fee } = await mempool.accept(tx, { maxFeeSats });
        if (reject !== null) return rejectText(reject);
        if (fee > maxFeeSats) return 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)';
      }
      if (relay) mempool.addUnbroadcast(txid);
      return null;
    },
    isInitialBlockDownload: () => chain.isInitialBlockDownload(),
    log: (line) => log.info(line),
  };
}

/** Descendants of the topmost ancestor that has most of them. */
function mostDescendants(mempool: Mempool, entry: MempoolEntry): number {
  if (entry.ancestorCount === 1) return entry.descendantCount;
  const tops = mempool.ancestors(entry).filter(({ ancestorCount }) => ancestorCount === 1);
  return Math.max(...tops.map(({ descendantCount }) => descendantCount));
}

/**
 * Whether a new transaction stays within the limits of relatives (without what replacement and the carve-out allow).
 */
function fitsChainLimits(mempool: Mempool, tx: TxView): boolean {
  const { limitAncestorCount, limitAncestorSize, limitDescendantCount, limitDescendantSize } = mempool.options;
  const found = new Map<string, MempoolEntry>();
  for (let i = 0; i < tx.inputCount; i++) {
    const parent = mempool.get(tx.prevHash(i));
    if (parent === undefined) continue;
    for (const entry of [parent, ...mempool.ancestors(parent)]) found.set(hashKey(entry.txid), entry);
    if (found.size + 1 > limitAncestorCount) return false;
  }
  let size = tx.vsize;
  for (const entry of found.values()) {
    size += entry.size;
    if (entry.descendantCount + 1 > limitDescendantCount || entry.descendantSize + tx.vsize > limitDescendantSize) return false;
  }
  return size <= limitAncestorSize;
}
