// Computes statistics of all unspent outputs, by iterating over them or from the coin statistics index. Calls that Core
// 0.21 supports get its form of the result, unless the index is used. muhash, other heights, and the block's own
// statistics exist in Core since release 22.

import { follows, type Span, shows } from '../../../policy/compat.js';
import { asString } from '../../args.js';
import type { ChainContext, HeaderInfo } from '../../context/chain.js';
import type { CoinStatsAccess, CoinTotals } from '../../context/indexes.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, bool, hex, num, obj, str } from '../../declare/parts.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { blockAt } from '../../node/lookup.js';
import { SharedWalks } from '../../node/shared-walks.js';
import type { CoinHashType as HashType } from '../../reads/coin-job.js';
import { hashHex } from '../../render/hex.js';
import { Amount, type JsonResult, type JsonValue, RawBytes } from '../../wire/values.js';

export const spec = declare({
  name: 'gettxoutsetinfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: 'blocks',
  description: 'Returns statistics of the set of unspent outputs. Without -coinstatsindex this may take some time.',
  args: [
    str('hash_type', 'Hash to compute: "hash_serialized_3", "hash_serialized_2" (before release 26), "muhash" or "none".', {
      as: 'json',
      default: 'hash_serialized_3, before release 26 hash_serialized_2',
    }),
    num('hash_or_height', 'Hash or height of the block after which to compute the statistics (only with -coinstatsindex)', {
      anyType: true,
      default: 'the tip',
      typeWords: 'string or numeric',
    }),
    bool('use_index', 'Whether to use the index if it exists', { default: 'true' }),
  ],
  results: [
    obj([
      num('height', 'Height of the block'),
      hex('bestblock', 'Hash of the block'),
      num('transactions?', 'Transactions with unspent outputs (not from the index)', { until: 22 }),
      num('txouts', 'Unspent outputs'),
      num('bogosize', 'Size of the set of unspent outputs, independent of the database'),
      hex('hash_serialized_2?', 'The hash', { until: 26 }),
      hex('hash_serialized_3?', 'The hash', { since: 26 }),
      hex('muhash?', 'The hash'),
      num('disk_size?', 'Estimated bytes on disk (not from the index)', { until: 22 }),
      amount('total_amount', 'Sum of all coins'),
      num('transactions?', 'Transactions with unspent outputs (not from the index)', { since: 22 }),
      num('disk_size?', 'Estimated bytes on disk (not from the index)', { since: 22 }),
      amount('total_unspendable_amount?', 'Coins that nobody can spend (only from the index)'),
      obj('block_info?', 'Changes by the block (only from the index)', [
        amount('prevout_spent', 'Sum of the spent outputs'),
        amount('coinbase', 'Created by the coinbase'),
        amount('new_outputs_ex_coinbase', 'Created by other transactions'),
        amount('unspendable', 'Coins that nobody can spend'),
        obj('unspendables', 'The unspendable coins by cause', [
          amount('genesis_block', 'Coinbase of the genesis block'),
          amount('bip30', 'Coinbases overwritten by a later coinbase with the same id (BIP30)'),
          amount('scripts', 'Scripts that nobody can satisfy'),
          amount('unclaimed_rewards', 'Block rewards that miners did not claim'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }, { cli: '"none"' }, { cli: '"muhash" 1000' }],
  waits: true,
});

/** The first release that has hash_serialized_3 instead of hash_serialized_2. */
const SERIALIZED_3_RELEASE = 26;
/** Hash types that depend on the order of all coins, so that the index cannot provide them. */
const SERIALIZED: Partial<Record<HashType, 2 | 3>> = { hash_serialized_2: 2, hash_serialized_3: 3 };

/** Hash types, and the releases that have them. */
const HASH_TYPES: ReadonlyMap<string, Span> = new Map<HashType, Span>([
  ['hash_serialized_2', { until: SERIALIZED_3_RELEASE }],
  ['hash_serialized_3', { since: SERIALIZED_3_RELEASE }],
  ['muhash', {}],
  ['none', {}],
]);

function hashTypeOf(value: JsonValue | undefined, { compat }: NodeContext): HashType {
  if ((value ?? null) === null) return follows(compat, SERIALIZED_3_RELEASE) ? 'hash_serialized_3' : 'hash_serialized_2';
  const text = asString(value);
  const span = HASH_TYPES.get(text);
  if (span !== undefined && shows(compat, span)) return text as HashType;
  return fail(RPC_CODE.INVALID_PARAMETER, `${follows(compat, 23) ? `'${text}'` : text} is not a valid hash_type`);
}

/** Returns by how much one block changed a sum. */
const change = (after: CoinTotals, before: CoinTotals, field: keyof CoinTotals): Amount =>
  new Amount(BigInt(after[field]) - BigInt(before[field]));

async function fromIndex(index: CoinStatsAccess, node: HeaderInfo, type: HashType): Promise<JsonResult> {
  const ready = await index.state.waitUntilSynced();
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

/** The walks of each chain. A process has one chain, but a test may have several. */
const walks = new WeakMap<ChainContext['chain'], SharedWalks>();

async function byWalk(ctx: NodeContext, type: HashType, call: CallInfo): Promise<JsonResult> {
  let ofChain = walks.get(ctx.chain);
  if (ofChain === undefined) walks.set(ctx.chain, (ofChain = new SharedWalks()));
  return new RawBytes(await ofChain.run(ctx, type, call.signal));
}

export const gettxoutsetinfo: NodeRun<typeof spec> = async (params, ctx, call) => {
  const type = hashTypeOf(params.hash_type, ctx);
  const { hash_or_height: at, use_index: useIndex } = params;
  const index = useIndex && SERIALIZED[type] === undefined ? ctx.coinStatsIndex : null;
  if (at !== null) {
    if (!ctx.coinStatsIndex) fail(RPC_CODE.INVALID_PARAMETER, 'Querying specific block heights requires coinstatsindex');
    if (SERIALIZED[type] !== undefined) {
      fail(RPC_CODE.INVALID_PARAMETER, `${type} hash type cannot be queried for a specific block`);
    }
    if (!useIndex) fail(RPC_CODE.INVALID_PARAMETER, 'Cannot set use_index to false when querying for a specific block');
  }
  if (!index) return byWalk(ctx, type, call);
  return fromIndex(index, at === null ? ctx.chain.tip : blockAt(ctx, at), type);
};
