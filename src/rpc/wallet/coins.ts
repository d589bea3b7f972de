import { hashKey } from '../../consensus/bytes/hex.js';
import { outpointOf } from '../../wallet/coins/outpoint.js';
import { OWNERSHIP } from '../../wallet/keys/ownership.js';
import type { Wallet } from '../../wallet/wallet.js';
import { WALLET_FLAG } from '../../wallet/wallet-record.js';
import { asBool, asHash, asInt, asObject, asString, checkMembers, checkType } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { hashHex } from '../render/hex.js';
import { Amount, type JsonResult, type JsonValue } from '../wire/values.js';
import { settledWallet, walletOf, withSettled } from './select.js';

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

export const getbalance: Run<NodeContext> = (ctx, args, call) => withSettled(ctx, call, (wallet) => trustedBalance(wallet, args));

function trustedBalance(wallet: Wallet, args: readonly JsonValue[]): Amount {
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
}

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
