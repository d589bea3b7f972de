// Balances and coins: getbalance, getbalances, getunconfirmedbalance, listunspent, lockunspent, listlockunspent.
import { decodeAddress, encodeAddress } from '../../address/address.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { solve } from '../../policy/script-type.js';
import { outpointOf } from '../../wallet/coins/outpoint.js';
import { destinationOf } from '../../wallet/keys/destination.js';
import { OWNERSHIP } from '../../wallet/keys/ownership.js';
import type { Wallet } from '../../wallet/wallet.js';
import { WALLET_FLAG } from '../../wallet/wallet-record.js';
import { asAmount, asBool, asHash, asInt, asInt64, asObject, asString, checkMembers, checkType, MAX_MONEY } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { hashHex, hex } from '../render/hex.js';
import { Amount, type JsonResult, type JsonValue } from '../wire/values.js';
import { describeScript } from './describe.js';
import { settledWallet, walletOf } from './select.js';

const given = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;

/** include_watchonly: by default what the wallet is made for. */
export function includeWatchOnly(wallet: Wallet, value: JsonValue | undefined): boolean {
  return given(value) ? asBool(value) : wallet.privateKeysDisabled;
}

/** Leaves out coins of addresses that were spent from, when the wallet minds. */
function usedFilter(wallet: Wallet, avoid: boolean): ((coin: number) => boolean) | undefined {
  if (!avoid || !wallet.record.has(WALLET_FLAG.AVOID_REUSE)) return undefined;
  return (coin) => wallet.isUsed(wallet.ledger.coins.script(coin));
}

export const getbalance: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  if (given(args[0]) && asString(args[0]) !== '*') {
    fail(RPC_CODE.METHOD_DEPRECATED, 'dummy first argument must be excluded or set to "*".');
  }
  const minDepth = given(args[1]) ? asInt(args[1]) : 0;
  const watch = includeWatchOnly(wallet, args[2]);
  const canAvoid = wallet.record.has(WALLET_FLAG.AVOID_REUSE);
  const avoid = given(args[3]) ? asBool(args[3]) : canAvoid;
  if (avoid && !canAvoid) fail(RPC_CODE.WALLET_ERROR, 'wallet does not have the "avoid reuse" feature enabled');
  const skip = usedFilter(wallet, avoid);
  const { ledger } = wallet;
  let sum = ledger.balances(OWNERSHIP.SPENDABLE, minDepth, skip).trusted;
  if (watch) sum += ledger.balances(OWNERSHIP.WATCH, minDepth, skip).trusted;
  return new Amount(sum);
};

export const getbalances: Run<NodeContext> = async (ctx, _args, call) => {
  const wallet = await settledWallet(ctx, call);
  const { ledger } = wallet;
  const skip = usedFilter(wallet, true);
  const mine = ledger.balances(OWNERSHIP.SPENDABLE, 0, skip);
  const out: Record<string, JsonResult> = {
    trusted: new Amount(mine.trusted),
    untrusted_pending: new Amount(mine.pending),
    immature: new Amount(mine.immature),
  };
  if (wallet.record.has(WALLET_FLAG.AVOID_REUSE)) {
    const all = ledger.balances(OWNERSHIP.SPENDABLE);
    out.used = new Amount(all.trusted + all.pending - mine.trusted - mine.pending);
  }
  if (!wallet.legacy?.watches) return { mine: out };
  const watched = ledger.balances(OWNERSHIP.WATCH, 0, skip);
  return {
    mine: out,
    watchonly: {
      trusted: new Amount(watched.trusted),
      untrusted_pending: new Amount(watched.pending),
      immature: new Amount(watched.immature),
    },
  };
};

export const getunconfirmedbalance: Run<NodeContext> = async (ctx, _args, call) => {
  const wallet = await settledWallet(ctx, call);
  return new Amount(wallet.ledger.balances(OWNERSHIP.SPENDABLE, 0, usedFilter(wallet, true)).pending);
};

/** What listunspent filters by. */
interface CoinFilter {
  readonly minDepth: number;
  readonly maxDepth: number;
  /** Output scripts of the wanted addresses, by hashKey; null: all. */
  readonly scripts: ReadonlySet<string> | null;
  readonly includeUnsafe: boolean;
  readonly minAmount: number;
  readonly maxAmount: number;
  readonly minSum: number;
  readonly maxCount: bigint;
}

function addressFilter(ctx: NodeContext, value: JsonValue | undefined): Set<string> | null {
  if (!given(value)) return null;
  checkType(value, 'array');
  const scripts = new Set<string>();
  for (const item of value as JsonValue[]) {
    const text = asString(item);
    const decoded = decodeAddress(text, ctx.params, ctx.crypto);
    if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Invalid Bitcoin address: ${text}`);
    const key = hashKey(decoded.script);
    if (scripts.has(key)) fail(RPC_CODE.INVALID_PARAMETER, `Invalid parameter, duplicated address: ${text}`);
    scripts.add(key);
  }
  return scripts.size === 0 ? null : scripts;
}

function coinFilter(ctx: NodeContext, args: readonly JsonValue[]): CoinFilter {
  const number = (value: JsonValue | undefined, otherwise: number): number => {
    if (!given(value)) return otherwise;
    checkType(value, 'number');
    return asInt(value);
  };
  const minDepth = number(args[0], 1);
  const maxDepth = number(args[1], 9_999_999);
  const scripts = addressFilter(ctx, args[2]);
  if (given(args[3])) checkType(args[3], 'bool');
  const includeUnsafe = given(args[3]) ? asBool(args[3]) : true;
  let minAmount = 0;
  let maxAmount = MAX_MONEY;
  let minSum = MAX_MONEY;
  let maxCount = 0n;
  if (given(args[4])) {
    const options = asObject(args[4]);
    checkMembers(
      options,
      { minimumAmount: null, maximumAmount: null, minimumSumAmount: null, maximumCount: 'number' },
      { allowNull: true, strict: true },
    );
    if (options.has('minimumAmount')) minAmount = asAmount(options.get('minimumAmount'));
    if (options.has('maximumAmount')) maxAmount = asAmount(options.get('maximumAmount'));
    if (options.has('minimumSumAmount')) minSum = asAmount(options.get('minimumSumAmount'));
    if (options.has('maximumCount')) maxCount = asInt64(options.get('maximumCount'));
  }
  return { minDepth, maxDepth, scripts, includeUnsafe, minAmount, maxAmount, minSum, maxCount };
}

/** Coins that pass, with whether each may be relied on, in Core's order. */
function selectCoins(wallet: Wallet, filter: CoinFilter): { coin: number; safe: boolean; depth: number }[] {
  const { ledger } = wallet;
  const { coins, txs } = ledger;
  const found: { coin: number; safe: boolean; depth: number }[] = [];
  const memo = new Map<number, boolean>();
  let sum = 0;
  for (const coin of ledger.unspent()) {
    const row = coins.txRow(coin);
    const depth = ledger.depth(row);
    if (depth < filter.minDepth || depth > filter.maxDepth || (depth === 0 && !txs.inMempool(row))) continue;
    let safe = ledger.isTrusted(row, memo);
    if (depth === 0) {
      const values = txs.values(row);
      const view = txs.view(row);
      if (view && !wallet.parts.isFinal(view)) continue;
      if (values?.has('replaces_txid') || values?.has('replaced_by_txid')) safe = false;
    }
    if (!safe && !filter.includeUnsafe) continue;
    const value = coins.value(coin);
    if (value < filter.minAmount || value > filter.maxAmount || wallet.isLocked(coins.outpoint(coin))) continue;
    found.push({ coin, safe, depth });
    sum += value;
    if (filter.minSum !== MAX_MONEY && sum >= filter.minSum) break;
    if (filter.maxCount > 0n && BigInt(found.length) >= filter.maxCount) break;
  }
  return found;
}

function coinMembers(ctx: NodeContext, wallet: Wallet, { coin, safe, depth }: { coin: number; safe: boolean; depth: number }): JsonResult {
  const { coins, txs } = wallet.ledger;
  const script = coins.script(coin);
  const provider = wallet.provider(script);
  const desc = describeScript(ctx, script, provider);
  const destination = destinationOf(script, ctx.crypto);
  const out: Record<string, JsonResult> = { txid: hashHex(txs.txid(coins.txRow(coin))), vout: coins.vout(coin) };
  if (destination !== null) {
    out.address = encodeAddress(destination, ctx.params, ctx.crypto);
    const label = wallet.book.label(destination);
    if (label !== undefined) out.label = label;
    const { type, solutions } = solve(script);
    if (provider && type === 'scripthash') {
      const redeem = provider.script(solutions[0]);
      if (redeem) {
        out.redeemScript = hex(redeem);
        const inner = solve(redeem);
        const witness = inner.type === 'witness_v0_scripthash' ? provider.script(ctx.crypto.ripemd160(inner.solutions[0])) : undefined;
        if (witness) out.witnessScript = hex(witness);
      }
    } else if (provider && type === 'witness_v0_scripthash') {
      const witness = provider.script(ctx.crypto.ripemd160(solutions[0]));
      if (witness) out.witnessScript = hex(witness);
    }
  }
  out.scriptPubKey = hex(script);
  out.amount = new Amount(coins.value(coin));
  out.confirmations = depth;
  out.spendable = coins.ownership(coin) === OWNERSHIP.SPENDABLE;
  out.solvable = desc !== null;
  if (desc !== null) out.desc = desc;
  if (wallet.record.has(WALLET_FLAG.AVOID_REUSE)) out.reused = wallet.isUsed(script);
  out.safe = safe;
  return out;
}

export const listunspent: Run<NodeContext> = async (ctx, args, call) => {
  const chosen = walletOf(ctx, call);
  const filter = coinFilter(ctx, args);
  const wallet = await settledWallet(ctx, call);
  if (wallet !== chosen) return fail(RPC_CODE.WALLET_NOT_FOUND, 'Requested wallet does not exist or is not loaded');
  const { coins } = wallet.ledger;
  return selectCoins(wallet, filter)
    .filter(({ coin }) => {
      if (filter.scripts === null) return true;
      const destination = destinationOf(coins.script(coin), ctx.crypto);
      return destination !== null && filter.scripts.has(hashKey(destination));
    })
    .map((found) => coinMembers(ctx, wallet, found));
};

export const lockunspent: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  checkType(args[0], 'bool');
  const unlock = asBool(args[0]);
  const { ledger } = wallet;
  if (!given(args[1])) {
    if (unlock) ledger.locked.clear();
    return true;
  }
  checkType(args[1], 'array');
  const outpoints: Uint8Array[] = [];
  for (const item of args[1] as JsonValue[]) {
    const object = asObject(item);
    checkMembers(object, { txid: 'string', vout: 'number' });
    const txid = asHash(object.get('txid'), 'txid');
    const vout = asInt(object.get('vout'));
    const bad = (why: string): never => fail(RPC_CODE.INVALID_PARAMETER, `Invalid parameter, ${why}`);
    if (vout < 0) bad('vout cannot be negative');
    const row = ledger.txs.find(txid);
    if (row < 0) bad('unknown transaction');
    if (vout >= ledger.txs.outputCount(row)) bad('vout index out of bounds');
    const outpoint = outpointOf(txid, vout);
    if (ledger.isSpent(outpoint)) bad('expected unspent output');
    const locked = wallet.isLocked(outpoint);
    if (unlock && !locked) bad('expected locked output');
    if (!unlock && locked) bad('output already locked');
    outpoints.push(outpoint);
  }
  for (const outpoint of outpoints) {
    if (unlock) ledger.locked.delete(hashKey(outpoint));
    else ledger.locked.set(hashKey(outpoint), outpoint);
  }
  return true;
};

export const listlockunspent: Run<NodeContext> = (ctx, _args, call) => {
  const wallet = walletOf(ctx, call);
  return [...wallet.ledger.locked.values()]
    .map((outpoint) => ({ txid: outpoint.subarray(0, 32), vout: new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true) }))
    .sort((a, b) => Buffer.compare(a.txid, b.txid) || a.vout - b.vout)
    .map(({ txid, vout }) => ({ txid: hashHex(txid), vout }));
};
