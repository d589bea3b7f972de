import { inTurns } from '../../lib/steps.js';
import { follows, shows } from '../../policy/compat.js';
import { type BalanceQuestion, type Balances, needsCoins } from '../../wallet/coins/balance-sheet.js';
import { outpointOf } from '../../wallet/coins/outpoint.js';
import { TX_STATE } from '../../wallet/coins/tx-table.js';
import { OWNERSHIP } from '../../wallet/keys/ownership.js';
import type { Wallet } from '../../wallet/wallet.js';
import { WALLET_FLAG } from '../../wallet/wallet-record.js';
import { asBool, asHash, asInt, asObject, asString, checkMembers, checkType } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { Slicer } from '../node/slices.js';
import { hashHex } from '../render/hex.js';
import { Amount, type JsonResult, type JsonValue } from '../wire/values.js';
import { breathOf } from './import-outcome.js';
import { lastProcessed, settledWallet, walletOf, withSettled } from './select.js';

const given = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;

/** include_watchonly: by default what the wallet is made for. */
export function includeWatchOnly(wallet: Wallet, value: JsonValue | undefined): boolean {
  return given(value) ? asBool(value) : wallet.privateKeysDisabled;
}

/** Leaves out coins of addresses that were spent from, when the wallet minds. */
export function usedFilter(wallet: Wallet, avoid: boolean): ((coin: number) => boolean) | undefined {
  if (!avoid || !wallet.record.has(WALLET_FLAG.AVOID_REUSE)) return undefined;
  return (coin) => wallet.isUsed(wallet.ledger.coins.script(coin));
}

/**
 * Balances, all of one moment: where they take a look at every coin, the wallet is held meanwhile.
 * @param questions asked in that moment
 */
export function balancesOf(wallet: Wallet, call: CallInfo, questions: () => readonly BalanceQuestion[]): Balances[] | Promise<Balances[]> {
  const { ledger } = wallet;
  const now = questions();
  if (!now.some(needsCoins)) return now.map((question) => ledger.sheet.balances(question));
  return wallet.alone(async () => {
    const breath = breathOf(wallet, new Slicer(call.breathe));
    const found: Balances[] = [];
    for (const question of questions()) found.push(await inTurns(ledger.sheet.sumUp(question), breath));
    return found;
  });
}

export const getbalance: Run<NodeContext> = (ctx, args, call) =>
  withSettled(ctx, call, (wallet) => {
    const found = trustedBalances(wallet, args, call);
    const sum = (balances: readonly Balances[]): Amount => new Amount(balances.reduce((all, { trusted }) => all + trusted, 0));
    return found instanceof Promise ? found.then(sum) : sum(found);
  });

function trustedBalances(wallet: Wallet, args: readonly JsonValue[], call: CallInfo): Balances[] | Promise<Balances[]> {
  if (given(args[0]) && asString(args[0]) !== '*') {
    fail(RPC_CODE.METHOD_DEPRECATED, 'dummy first argument must be excluded or set to "*".');
  }
  const minDepth = given(args[1]) ? asInt(args[1]) : 0;
  const watch = includeWatchOnly(wallet, args[2]);
  const canAvoid = wallet.record.has(WALLET_FLAG.AVOID_REUSE);
  const avoid = given(args[3]) ? asBool(args[3]) : canAvoid;
  if (avoid && !canAvoid) fail(RPC_CODE.WALLET_ERROR, 'wallet does not have the "avoid reuse" feature enabled');
  const kinds = watch ? [OWNERSHIP.SPENDABLE, OWNERSHIP.WATCH] : [OWNERSHIP.SPENDABLE];
  const skip = usedFilter(wallet, avoid);
  return balancesOf(wallet, call, () => kinds.map((ownership) => ({ ownership, minDepth, skip })));
}

export const getbalances: Run<NodeContext> = async (ctx, _args, call) => {
  const wallet = await settledWallet(ctx, call);
  const skip = usedFilter(wallet, true);
  const { SPENDABLE, WATCH } = OWNERSHIP;
  const questions = (): BalanceQuestion[] => [
    { ownership: SPENDABLE, skip, skipsYoung: follows(ctx.compat, 32) },
    ...(skip ? [{ ownership: SPENDABLE }] : []),
    ...(wallet.legacy?.watches ? [{ ownership: WATCH, skip }] : []),
  ];
  const [mine, ...others] = await balancesOf(wallet, call, questions);
  const all = skip ? others.shift()! : mine;
  const watched = others.shift();
  const shown = ({ trusted, pending, immature }: Balances): Record<string, JsonResult> => ({
    trusted: new Amount(trusted),
    untrusted_pending: new Amount(pending),
    immature: new Amount(immature),
  });
  const worth = ({ trusted, pending, immature }: Balances): number => trusted + pending + immature;
  const waiting = shows(ctx.compat, { since: 32 }) ? spentOutside(wallet) : 0;
  const used = skip && { used: new Amount(worth(all) - worth(mine)) };
  return {
    mine: {
      ...shown({ ...mine, trusted: mine.trusted + waiting }),
      ...(shows(ctx.compat, { since: 32 }) && { nonmempool: new Amount(-waiting) }),
      ...used,
    },
    ...(watched ? { watchonly: shown(watched) } : {}),
    lastprocessedblock: lastProcessed(wallet),
  };
};

/**
 * What own transactions that are not in the mempool spend of confirmed coins, where nothing else spends those.
 * Satoshis.
 */
function spentOutside({ ledger }: Wallet): number {
  const { txs, coins, spends } = ledger;
  const isTaken = (row: number): boolean => txs.inMempool(row) || txs.state(row) === TX_STATE.CONFIRMED;
  const seen = new Set<number>();
  let sum = 0;
  for (const row of txs.liveRows()) {
    const tx = txs.view(row);
    if (!tx || txs.inMempool(row) || txs.state(row) !== TX_STATE.UNCONFIRMED) continue;
    for (let i = 0; i < tx.inputCount; i++) {
      const coin = coins.find(tx.outpoint(i));
      if (coin < 0 || seen.has(coin) || coins.ownership(coin) !== OWNERSHIP.SPENDABLE) continue;
      seen.add(coin);
      if (ledger.depth(coins.txRow(coin)) > 0 && ![...spends.spenders(tx.outpoint(i))].some(isTaken)) sum += coins.value(coin);
    }
  }
  return sum;
}

export const getunconfirmedbalance: Run<NodeContext> = async (ctx, _args, call) => {
  const wallet = await settledWallet(ctx, call);
  const skip = usedFilter(wallet, true);
  const [mine] = await balancesOf(wallet, call, () => [{ ownership: OWNERSHIP.SPENDABLE, skip }]);
  return new Amount(mine.pending);
};

export const lockunspent: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = await settledWallet(ctx, call);
  checkType(args[0], 'bool');
  const unlock = asBool(args[0]);
  const persistent = given(args[2]) && asBool(args[2]);
  const { ledger } = wallet;
  const set = (chosen: readonly Uint8Array[]): Promise<void> =>
    wallet.change((batch) => {
      for (const outpoint of chosen) {
        if (unlock) ledger.unlock(outpoint, batch);
        else ledger.lock(outpoint, persistent ? batch : null);
      }
    }, persistent);
  if (!given(args[1])) {
    if (unlock) await set([...ledger.locked.values()]);
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
    if (!unlock && locked && !persistent) bad('output already locked');
    outpoints.push(outpoint);
  }
  await set(outpoints);
  return true;
};

export const listlockunspent: Run<NodeContext> = (ctx, _args, call) => {
  const wallet = walletOf(ctx, call);
  return [...wallet.ledger.locked.values()]
    .map((outpoint) => ({ txid: outpoint.subarray(0, 32), vout: new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true) }))
    .sort((a, b) => Buffer.compare(a.txid, b.txid) || a.vout - b.vout)
    .map(({ txid, vout }) => ({ txid: hashHex(txid), vout }));
};
