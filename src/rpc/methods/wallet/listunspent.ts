// Lists unspent coins. The cost depends on the coins that are returned or examined: those of the requested addresses,
// as many as requested, or all. Core 0.21: wallet/rpcwallet.cpp and AvailableCoins.

import { decodeAddress, encodeAddress } from '../../../address/address.js';
import { hashKey } from '../../../consensus/bytes/hex.js';
import { follows, only, shows } from '../../../policy/compat.js';
import { solve } from '../../../policy/script-type.js';
import {
  addressedBy,
  BUCKET,
  isLockedCoin,
  isUsed,
  OWNERSHIP,
  payToKey,
  type Relatives,
  WALLET_FLAG,
  type Wallet,
} from '../../../wallet/index.js';
import { asAmount, asBool, asInt64, asString, checkMembers, MAX_MONEY } from '../../args.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { IMMATURE_ARG } from '../../declare/history-parts.js';
import { declare, type ParametersOf } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesHex, hashHex } from '../../render/hex.js';
import { describeScript, parentText } from '../../wallet/describe.js';
import { failNotLoaded, settledWallet, walletOf } from '../../wallet/select.js';
import { encodeJson } from '../../wire/json-write.js';
import { Pieces } from '../../wire/pieces.js';
import { Amount, type JsonResult, type JsonValue, RawJson } from '../../wire/values.js';

export const spec = declare({
  name: 'listunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns unspent outputs, filtered by confirmations, addresses and amounts.',
  args: [
    num('minconf', 'Minimum number of confirmations', { checked: true, default: '1' }),
    num('maxconf', 'Maximum number of confirmations', { checked: true, default: '9999999' }),
    arr('addresses', 'Return only outputs of these addresses', { checked: true, default: '[]' }, [str('address?', 'An address')]),
    bool('include_unsafe', 'Include outputs that are not safe to spend', { checked: true, default: 'true' }),
    obj('query_options?', 'More filters', { namedMembers: true }, [
      amount('minimumAmount', 'Minimum value of each output', { default: '0' }),
      amount('maximumAmount', 'Maximum value of each output', { default: 'unlimited' }),
      num('maximumCount', 'Maximum number of confirmations', { default: 'unlimited' }),
      amount('minimumSumAmount', 'Minimum sum: return outputs until they reach it', { default: 'unlimited' }),
      { ...IMMATURE_ARG, help: 'Include immature coinbases' },
    ]),
  ],
  results: [
    arr([
      obj([
        hex('txid', 'Transaction'),
        num('vout', 'Output'),
        str('address?', 'Address'),
        str('label?', 'The label'),
        hex('redeemScript?', 'Redeem script'),
        hex('witnessScript?', 'Witness script'),
        hex('scriptPubKey', 'Output script'),
        amount('amount', 'Value in BTC'),
        num('confirmations', 'Confirmations'),
        num('ancestorcount?', 'Number of unconfirmed ancestors, including the transaction. Only for a coin in the mempool', { since: 23 }),
        num('ancestorsize?', 'Sum of their virtual sizes', { since: 23 }),
        num('ancestorfees?', 'Fees of these transactions in satoshis', { since: 23 }),
        bool('spendable', 'Whether the wallet has the private keys'),
        bool('solvable', 'Whether the wallet knows everything except private keys to spend the output'),
        arr('parent_descs?', 'Descriptors of the wallet for the output', { since: 24 }, [str('A descriptor')]),
        bool('reused?', 'Whether the address was spent from before'),
        str('desc?', 'A descriptor of the output script'),
        bool('safe', 'Whether the output is safe to spend'),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 9999999 "[]"', rpc: '6, 9999999, []' },
  ],
});

/** The filters of listunspent. */
interface CoinFilter {
  readonly minDepth: number;
  readonly maxDepth: number;
  /** Output scripts of the requested addresses, by hashKey; null for all. */
  readonly scripts: ReadonlyMap<string, Uint8Array> | null;
  readonly includeUnsafe: boolean;
  readonly minAmount: number;
  readonly maxAmount: number;
  readonly minSum: number;
  readonly maxCount: bigint;
  /** True to include immature coinbase outputs. */
  readonly immature: boolean;
}

function addressFilter(ctx: WalletContext, addresses: readonly JsonValue[]): Map<string, Uint8Array> | null {
  const scripts = new Map<string, Uint8Array>();
  for (const item of addresses) {
    const text = asString(item);
    const decoded = decodeAddress(text, ctx.params, ctx.crypto);
    if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Invalid Bitcoin address: ${text}`);
    const key = hashKey(decoded.script);
    if (scripts.has(key)) fail(RPC_CODE.INVALID_PARAMETER, `Invalid parameter, duplicated address: ${text}`);
    scripts.set(key, decoded.script);
  }
  return scripts.size === 0 ? null : scripts;
}

function coinFilter(ctx: WalletContext, params: ParametersOf<typeof spec>): CoinFilter {
  const { minconf: minDepth, maxconf: maxDepth } = params;
  const scripts = addressFilter(ctx, params.addresses);
  const { include_unsafe: includeUnsafe, query_options: options } = params;
  let minAmount = 0;
  let maxAmount = MAX_MONEY;
  let minSum = MAX_MONEY;
  let maxCount = 0n;
  let immature = false;
  if (options !== undefined) {
    const isLater = shows(ctx.compat, { since: 23 });
    checkMembers(
      options,
      {
        minimumAmount: null,
        maximumAmount: null,
        minimumSumAmount: null,
        maximumCount: 'number',
        ...(isLater ? { include_immature_coinbase: 'bool' } : {}),
      },
      { allowNull: true, strict: true },
    );
    if (options.has('minimumAmount')) minAmount = asAmount(options.get('minimumAmount'));
    if (options.has('maximumAmount')) maxAmount = asAmount(options.get('maximumAmount'));
    if (options.has('minimumSumAmount')) minSum = asAmount(options.get('minimumSumAmount'));
    if (options.has('maximumCount')) maxCount = asInt64(options.get('maximumCount'));
    if (isLater && options.has('include_immature_coinbase')) immature = asBool(options.get('include_immature_coinbase'));
  }
  return { minDepth, maxDepth, scripts, includeUnsafe, minAmount, maxAmount, minSum, maxCount, immature };
}

/** A coin that passed the filters, whether it is safe, and its confirmations. */
interface FoundCoin {
  readonly coin: number;
  readonly safe: boolean;
  readonly depth: number;
}

const limited = (filter: CoinFilter): boolean => filter.minSum !== MAX_MONEY || filter.maxCount > 0n;

/**
 * If the records with coins are fewer than one in SORT_SHARE, sorting them is faster than iterating over all records.
 */
const SORT_SHARE = 16;

/**
 * Yields the coins that may pass the filters in any order, if they are few enough to sort. Returns null if every coin
 * may pass, because records are already in order.
 */
function* unorderedCoins(wallet: Wallet, filter: CoinFilter): Generator<number> {
  const { coins } = wallet.ledger;
  if (filter.scripts === null) {
    yield* coins.inBucket(BUCKET.CONFIRMED);
    yield* coins.inBucket(BUCKET.PENDING);
    if (filter.immature) yield* coins.inBucket(BUCKET.IMMATURE);
    return;
  }
  for (const script of filter.scripts.values()) {
    yield* coins.ofScript(script);
    // Outputs that pay to a bare key count as those of its P2PKH address.
    const { type, solutions } = solve(script);
    const key = type === 'pubkeyhash' ? wallet.keys.provider(script)?.publicKey(solutions[0]) : undefined;
    if (key) yield* coins.ofScript(payToKey(key));
  }
}

/** Returns whether sorting the coins that may pass is faster than iterating over all records. */
function areFew(wallet: Wallet, filter: CoinFilter): boolean {
  if (filter.scripts !== null) return !limited(filter);
  const { coins, txs } = wallet.ledger;
  const young = filter.immature ? coins.countOf(BUCKET.IMMATURE) : 0;
  return (coins.countOf(BUCKET.CONFIRMED) + coins.countOf(BUCKET.PENDING) + young) * SORT_SHARE < txs.size;
}

/** Yields the coins that may pass, in Core's order: by txid and output. */
function* candidates(wallet: Wallet, filter: CoinFilter): Generator<number> {
  const { coins, txs } = wallet.ledger;
  if (!areFew(wallet, filter)) for (const row of txs.inTxidOrder()) yield* coins.ofTx(row);
  else
    yield* [...unorderedCoins(wallet, filter)].sort(
      (a, b) => txs.compareTxids(coins.txRow(a), coins.txRow(b)) || coins.vout(a) - coins.vout(b),
    );
}

/** Applies all filters to a coin, except for the limits. */
function judge(wallet: Wallet, coin: number, filter: CoinFilter, memo: Map<number, boolean>): FoundCoin | null {
  const { ledger } = wallet;
  const { coins, txs } = ledger;
  const bucket = coins.bucket(coin);
  if (bucket !== BUCKET.CONFIRMED && bucket !== BUCKET.PENDING && !(filter.immature && bucket === BUCKET.IMMATURE)) return null;
  const row = coins.txRow(coin);
  const depth = ledger.depth(row);
  if (depth < filter.minDepth || depth > filter.maxDepth || (depth === 0 && !txs.inMempool(row))) return null;
  let safe = ledger.sheet.isTrusted(row, memo);
  if (depth === 0) {
    const values = txs.values(row);
    const view = txs.view(row);
    if (view && !wallet.parts.isFinal(view)) return null;
    if (values?.has('replaces_txid') || values?.has('replaced_by_txid')) safe = false;
  }
  if (!safe && !filter.includeUnsafe) return null;
  const value = coins.value(coin);
  if (value < filter.minAmount || value > filter.maxAmount) return null;
  return ledger.locked.size > 0 && isLockedCoin(ledger, coins.outpoint(coin)) ? null : { coin, safe, depth };
}

/** Returns the coins that pass, in Core's order. */
function selectCoins(wallet: Wallet, filter: CoinFilter): FoundCoin[] {
  const found: FoundCoin[] = [];
  const memo = new Map<number, boolean>();
  let sum = 0;
  for (const coin of candidates(wallet, filter)) {
    const passed = judge(wallet, coin, filter, memo);
    if (passed === null) continue;
    found.push(passed);
    sum += wallet.ledger.coins.value(coin);
    if (filter.minSum !== MAX_MONEY && sum >= filter.minSum) break;
    if (filter.maxCount > 0n && BigInt(found.length) >= filter.maxCount) break;
  }
  return found;
}

/** The facts that all coins of a script share. */
interface ScriptFacts {
  readonly destination: Uint8Array | null;
  readonly before: Record<string, JsonResult>;
  readonly after: Record<string, JsonResult>;
}

function scriptFacts(ctx: WalletContext, wallet: Wallet, script: Uint8Array): ScriptFacts {
  const provider = wallet.keys.provider(script);
  const desc = describeScript(ctx, script, provider);
  const destination = addressedBy(script, ctx);
  const before: Record<string, JsonResult> = {};
  if (destination !== null) {
    before.address = encodeAddress(destination, ctx.params, ctx.crypto);
    const label = wallet.book.label(destination);
    if (label !== undefined) before.label = label;
    const { type, solutions } = solve(script);
    if (provider && type === 'scripthash') {
      const redeem = provider.script(solutions[0]);
      if (redeem) {
        before.redeemScript = bytesHex(redeem);
        const inner = solve(redeem);
        const witness = inner.type === 'witness_v0_scripthash' ? provider.script(ctx.crypto.ripemd160(inner.solutions[0])) : undefined;
        if (witness) before.witnessScript = bytesHex(witness);
      }
    } else if (provider && type === 'witness_v0_scripthash') {
      const witness = provider.script(ctx.crypto.ripemd160(solutions[0]));
      if (witness) before.witnessScript = bytesHex(witness);
    }
  }
  before.scriptPubKey = bytesHex(script);
  const after: Record<string, JsonResult> = { solvable: desc !== null };
  if (desc !== null) after.desc = desc;
  if (shows(ctx.compat, { since: 24 })) {
    const place = wallet.descriptors?.locate(script);
    after.parent_descs = place ? [parentText(wallet, place.tracked)] : [];
  }
  if (wallet.record.has(WALLET_FLAG.AVOID_REUSE)) after.reused = isUsed(wallet, script);
  return { destination, before, after };
}

/**
 * Returns the members about unconfirmed ancestors of coins in the mempool, by row. They include the transaction itself;
 * fees are in satoshis.
 */
async function ancestorMembers(
  { client, compat }: WalletContext,
  { ledger }: Wallet,
  found: readonly FoundCoin[],
): Promise<ReadonlyMap<number, Record<string, JsonResult>>> {
  if (!shows(compat, { since: 23 })) return new Map();
  const rows = [...new Set(found.flatMap(({ coin, depth }) => (depth === 0 ? [ledger.coins.txRow(coin)] : [])))];
  if (rows.length === 0) return new Map();
  const answers = await client.relatives(rows.map((row) => ledger.txs.txid(row).slice()));
  const members = ({ ancestors, ancestorSize, ancestorFees }: Relatives): Record<string, JsonResult> => ({
    ancestorcount: ancestors,
    ancestorsize: ancestorSize,
    ancestorfees: ancestorFees,
  });
  return new Map(answers.flatMap((answer, i) => (answer === null ? [] : [[rows[i], members(answer)]])));
}

export const listunspent: WalletRun<typeof spec> = async (params, ctx, call) => {
  const chosen = walletOf(ctx, call);
  const filter = coinFilter(ctx, params);
  const wallet = await settledWallet(ctx, call);
  if (wallet !== chosen) return failNotLoaded();
  const { coins, txs } = wallet.ledger;
  const found = selectCoins(wallet, filter);
  const ancestors = await ancestorMembers(ctx, wallet, found);
  const facts = new Map<number, ScriptFacts>();
  // Since release 30, all coins are spendable, because a wallet without keys leaves signing to another program.
  const showsSpendable = wallet.descriptors ? follows(ctx.compat, 30) : only(ctx.compat, 30);
  const pieces = new Pieces(',');
  for (const { coin, safe, depth } of found) {
    // Skip a coin whose record removeprunedfunds has removed meanwhile.
    if (!coins.isLive(coin)) continue;
    const id = coins.scriptId(coin);
    const about = facts.get(id) ?? scriptFacts(ctx, wallet, coins.script(coin));
    facts.set(id, about);
    const { destination, before, after } = about;
    if (filter.scripts !== null && (destination === null || !filter.scripts.has(hashKey(destination)))) continue;
    pieces.add(
      encodeJson({
        txid: hashHex(txs.txid(coins.txRow(coin))),
        vout: coins.vout(coin),
        ...before,
        amount: new Amount(coins.value(coin)),
        confirmations: depth,
        ...(depth === 0 && ancestors.get(coins.txRow(coin))),
        spendable: showsSpendable || coins.ownership(coin) === OWNERSHIP.SPENDABLE,
        ...after,
        safe,
      }),
    );
  }
  return new RawJson(`[${pieces.text()}]`);
};
