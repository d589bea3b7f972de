// gettxoutsetinfo: figures of all unspent outputs, by a walk over them or from the coin statistics index. Without the
// index the calls that Core 0.21 knows are answered in its form; muhash, other heights and the block's own figures are
// later Cores' (22 and on).
import { WalkStoppedError } from '../../../chain/coins/coins-stats.js';
import { follows } from '../../../policy/compat.js';
import { asBool, asString } from '../../args.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { CoinStatsAccess, CoinTotals } from '../../context/indexes.js';
import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { blockAt } from '../../node/lookup.js';
import { hashHex } from '../../render/hex.js';
import { Amount, type JsonResult, type JsonValue } from '../../wire/values.js';

const HASH_TYPES = ['hash_serialized_2', 'muhash', 'none'] as const;

type HashType = (typeof HASH_TYPES)[number];

function hashTypeOf(value: JsonValue | undefined, { compat }: NodeContext): HashType {
  const text = (value ?? null) === null ? 'hash_serialized_2' : asString(value);
  return (
    HASH_TYPES.find((type) => type === text) ??
    fail(RPC_CODE.INVALID_PARAMETER, `${follows(compat, 23) ? `'${text}'` : text} is not a valid hash_type`)
  );
}

/** What one block did to a sum. */
const change = (after: CoinTotals, before: CoinTotals, field: keyof CoinTotals): Amount =>
  new Amount(BigInt(after[field]) - BigInt(before[field]));

async function fromIndex(index: CoinStatsAccess, node: HeaderInfo, type: HashType): Promise<JsonResult> {
  const ready = await index.state.settle();
  const found = await index.find(node);
  if (!found) {
    if (!ready) {
      fail(RPC_CODE.INTERNAL_ERROR, `Unable to get data because coinstatsindex is still syncing. Current height: ${index.state.height}`);
    }
    return fail(RPC_CODE.INTERNAL_ERROR, 'Unable to read UTXO set');
  }
  const { totals, before } = found;
  const own = (field: keyof CoinTotals): Amount => change(totals, before, field);
  return {
    height: node.height,
    bestblock: node.hashHex,
    txouts: totals.outputs,
    bogosize: totals.bogoSize,
    muhash: type === 'muhash' ? hashHex(found.muhash) : undefined,
    total_amount: new Amount(totals.amount),
    total_unspendable_amount: new Amount(totals.unspendable),
    block_info: {
      prevout_spent: own('prevoutSpent'),
      coinbase: own('coinbase'),
      new_outputs_ex_coinbase: own('newOutputsExCoinbase'),
      unspendable: own('unspendable'),
      unspendables: {
        genesis_block: own('unspendableGenesis'),
        bip30: own('unspendableBip30'),
        scripts: own('unspendableScripts'),
        unclaimed_rewards: own('unclaimedRewards'),
      },
    },
  };
}

async function byWalk(ctx: NodeContext, type: HashType): Promise<JsonResult> {
  const hashing = { hashSerialized: type === 'hash_serialized_2', muhash: type === 'muhash' };
  const stats = await ctx.chain.coinsStats(hashing).catch((error: unknown) => {
    if (error instanceof WalkStoppedError) return fail(RPC_CODE.CLIENT_NOT_CONNECTED, 'Shutting down');
    throw error;
  });
  return {
    height: stats.height,
    bestblock: hashHex(stats.bestBlock),
    transactions: stats.transactions,
    txouts: stats.outputs,
    bogosize: stats.bogoSize,
    hash_serialized_2: stats.hashSerialized ? hashHex(stats.hashSerialized) : undefined,
    muhash: stats.muhash ? hashHex(stats.muhash) : undefined,
    disk_size: stats.diskSize,
    total_amount: new Amount(stats.totalSats),
  };
}

export const gettxoutsetinfo: Run<NodeContext> = async (ctx, args) => {
  const type = hashTypeOf(args[0], ctx);
  const at = args[1] ?? null;
  const useIndex = (args[2] ?? null) === null || asBool(args[2]);
  const index = useIndex && type !== 'hash_serialized_2' ? ctx.coinStatsIndex : null;
  if (at !== null) {
    if (!ctx.coinStatsIndex) fail(RPC_CODE.INVALID_PARAMETER, 'Querying specific block heights requires coinstatsindex');
    if (type === 'hash_serialized_2') {
      fail(RPC_CODE.INVALID_PARAMETER, 'hash_serialized_2 hash type cannot be queried for a specific block');
    }
    if (!useIndex) fail(RPC_CODE.INVALID_PARAMETER, 'Cannot set use_index to false when querying for a specific block');
  }
  if (!index) return byWalk(ctx, type);
  return fromIndex(index, at === null ? ctx.chain.tip : blockAt(ctx, at), type);
};
