// The mempool in the words of RPC. Callers: node/start.
import { compareBytes } from '../consensus/bytes/hex.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { compareEntryIds, type MempoolEntry } from '../mempool/entry.js';
import type { Mempool } from '../mempool/mempool.js';
import type { PoolAccess, PoolEntry } from '../rpc/node/context.js';

/** Inputs below this sequence number say that the transaction may be replaced (BIP-0125). */
const MAX_REPLACEABLE_SEQUENCE = 0xfffffffd;

function signalsReplacement(tx: TxView): boolean {
  for (let i = 0; i < tx.inputCount; i++) if (tx.sequence(i) <= MAX_REPLACEABLE_SEQUENCE) return true;
  return false;
}

const ids = (entries: Iterable<MempoolEntry>): Uint8Array[] => [...entries].map((entry) => entry.tx.txid);

export function createPoolAccess(mempool: Mempool): PoolAccess {
  const show = (entry: MempoolEntry): PoolEntry => ({
    tx: entry.tx,
    fee: entry.fee,
    modifiedFee: entry.modifiedFee,
    vsize: entry.size,
    weight: entry.weight,
    time: entry.time,
    height: entry.height,
    descendantCount: entry.descendantCount,
    descendantSize: entry.descendantSize,
    descendantFees: entry.descendantFees,
    ancestorCount: entry.ancestorCount,
    ancestorSize: entry.ancestorSize,
    ancestorFees: entry.ancestorFees,
    parents: ids(entry.parents).sort(compareBytes),
    children: [...entry.children].sort(compareEntryIds).map((child) => child.tx.txid),
    replaceable: signalsReplacement(entry.tx) || mempool.ancestors(entry).some((ancestor) => signalsReplacement(ancestor.tx)),
    unbroadcast: entry.unbroadcast,
  });
  const related = (txid: Uint8Array, of: (entry: MempoolEntry) => MempoolEntry[]): Uint8Array[] => {
    const entry = mempool.get(txid);
    return entry === undefined ? [] : ids(of(entry));
  };
  return {
    get: (txid) => {
      const entry = mempool.get(txid);
      return entry === undefined ? undefined : show(entry);
    },
    txids: () => ids(mempool.sorted()),
    ancestors: (txid) => related(txid, (entry) => mempool.ancestors(entry)),
    descendants: (txid) => related(txid, (entry) => mempool.descendants(entry)),
    info: () => {
      const stats = mempool.stats();
      return {
        loaded: true,
        size: stats.transactions,
        bytes: stats.bytes,
        usage: stats.usageBytes,
        maxBytes: stats.maxUsageBytes,
        minFeeRate: stats.minFeeRate,
        minRelayFeeRate: stats.minRelayFeeRate,
        incrementalFeeRate: stats.incrementalFeeRate,
        unbroadcastCount: stats.unbroadcast,
      };
    },
    accept: async (tx, options) => {
      const { reject, fee, vsize } = await mempool.accept(tx, options);
      return { reject, fee, vsize };
    },
    announce: (txid) => mempool.addUnbroadcast(txid),
    prioritise: (txid, delta) => mempool.prioritise(txid, delta),
  };
}
