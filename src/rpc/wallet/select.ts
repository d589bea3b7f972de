// Start of every call of a wallet: selects the wallet, brings it up to date with everything acknowledged before, and
// does checks that several methods share. Core: GetWalletForJSONRPCRequest, EnsureWalletIsUnlocked,
// EnsureLegacyScriptPubKeyMan.

import { follows } from '../../policy/compat.js';
import {
  describeStoreError,
  type LegacyKeys,
  NEEDS_PASSPHRASE,
  NOT_LOADED,
  WALLET_FLAG,
  type Wallet,
  WalletError,
  type WalletManager,
} from '../../wallet/node-face.js';
import type { WalletContext } from '../context/wallet.js';
import type { MethodSpec } from '../declare/types.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE, RpcError } from '../errors.js';
import type { JsonResult } from '../wire/values.js';

const PREFIX = '/wallet/';

// Cache of decoded names. Clients name few wallets. Limited, because they may also name wallets that do not exist.
const MOST_NAMES = 256;
const names = new Map<string, string>();

/** Returns the name in /wallet/NAME; null for other paths. Only %XX is decoded; an invalid % stays. */
export function walletNameOf(path: string): string | null {
  if (!path.startsWith(PREFIX)) return null;
  let name = names.get(path);
  if (name === undefined) {
    name = decodeName(path);
    if (names.size === MOST_NAMES) names.clear();
    names.set(path, name);
  }
  return name;
}

function decodeName(path: string): string {
  const bytes = Buffer.from(path.slice(PREFIX.length), 'utf8');
  const out: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const digits = bytes[i] === 0x25 ? bytes.toString('latin1', i + 1, i + 3) : '';
    if (/^[0-9a-fA-F]{2}$/.test(digits)) {
      out.push(Number.parseInt(digits, 16));
      i += 2;
    } else out.push(bytes[i]);
  }
  return Buffer.from(out).toString('utf8');
}

const refusalOf = (error: unknown): unknown => (error instanceof WalletError ? new RpcError(error.code, error.message) : error);

/**
 * Wraps a run function so that a WalletError becomes an RpcError, wherever it occurs: for example the wallet may be
 * unloaded while the call waits.
 */
export function refusing(run: Run<WalletContext>): Run<WalletContext> {
  const refuse = (error: unknown): never => {
    throw refusalOf(error);
  };
  return (params, ctx, call) => {
    try {
      const result = run(params, ctx, call);
      return result instanceof Promise ? result.catch(refuse) : result;
    } catch (error) {
      return refuse(error);
    }
  };
}

/** Converts errors of the wallet module and of a wallet's database to RPC errors. */
export function asRpcError(error: unknown): unknown {
  if (error instanceof WalletError) return refusalOf(error);
  const fault = describeStoreError(error);
  return fault === null ? error : new RpcError(RPC_CODE.WALLET_ERROR, fault);
}

export function managerOf(ctx: WalletContext): WalletManager {
  return ctx.wallets ?? fail(RPC_CODE.METHOD_NOT_FOUND, 'Method not found');
}

/** Error for a call without a wallet's name while several wallets are loaded. */
const ambiguous = ({ compat }: WalletContext): string =>
  follows(compat, 28)
    ? 'Multiple wallets are loaded. Please select which wallet to use by requesting the RPC through the /wallet/<walletname> URI path.'
    : 'Wallet file not specified (must request wallet RPC through /wallet/<filename> uri-path).';

/** Returns the wallet of a call. @throws RpcError */
export function walletOf(ctx: WalletContext, call: CallInfo): Wallet {
  const manager = managerOf(ctx);
  try {
    return manager.selectWallet(walletNameOf(call.path), ambiguous(ctx));
  } catch (error) {
    throw asRpcError(error);
  }
}

/** Returns the wallet of a call; undefined if the wallet does not exist. The run function then reports the error. */
function meantWallet(ctx: WalletContext, call: CallInfo): Wallet | undefined {
  try {
    return ctx.wallets?.selectWallet(walletNameOf(call.path), ambiguous(ctx));
  } catch {
    return undefined;
  }
}

/**
 * Wraps a run function so that it runs with a share of the wallet's lock, after everything that happened before the
 * call was processed.
 * @param holds see MethodSpec.holds
 */
export const holding =
  (run: Run<WalletContext>, holds: NonNullable<MethodSpec['holds']>): Run<WalletContext> =>
  (params, ctx, call) => {
    const wallet = meantWallet(ctx, call);
    if (wallet === undefined) return run(params, ctx, call);
    // Keys on a device are never locked, and signing may take minutes.
    const inParts = holds === 'parts' || (holds === 'keys' && wallet.record.has(WALLET_FLAG.EXTERNAL_SIGNER));
    let parts: JsonResult | Promise<JsonResult> | undefined;
    const begin = (): JsonResult | Promise<JsonResult> => {
      // The wallet may have been unloaded while the call waited, and another one may have its name.
      const result = meantWallet(ctx, call) === wallet ? run(params, ctx, call) : holding(run, holds)(params, ctx, call);
      if (!inParts) return result;
      parts = result;
      return null;
    };
    const held = wallet.access.runCall(() => {
      ctx.client.sync();
      const rest = wallet.events.applyPending();
      return rest === undefined ? begin() : rest.then(begin);
    });
    if (!inParts) return held;
    return held instanceof Promise ? held.then(() => parts as JsonResult) : (parts as JsonResult | Promise<JsonResult>);
  };

/**
 * Returns the wallet for calls about coins and balances, after transactions of disconnected blocks were added to the
 * mempool again. Returns no promise if none are pending.
 */
export function settledWallet(ctx: WalletContext, call: CallInfo): Wallet | Promise<Wallet> {
  const wallet = walletOf(ctx, call);
  const settling = ctx.client.mempoolSettled();
  if (settling === undefined) return wallet;
  return settling
    .then(() => ctx.client.sync())
    .then(() => wallet.events.applyPending())
    .then(() => wallet);
}

/** Runs a call about coins and balances with settledWallet(). Synchronous if nothing is pending. */
export function withSettled<T>(ctx: WalletContext, call: CallInfo, run: (wallet: Wallet) => T | Promise<T>): T | Promise<T> {
  const wallet = settledWallet(ctx, call);
  return wallet instanceof Promise ? wallet.then(run) : run(wallet);
}

/**
 * Throws if the wallet is locked. Calls that write private keys check again within their change, because they may have
 * waited for encryptwallet, which locks the wallet.
 */
export function ensureUnlocked(wallet: Wallet): void {
  if (wallet.vault.locked) {
    fail(RPC_CODE.WALLET_UNLOCK_NEEDED, NEEDS_PASSPHRASE);
  }
}

export const failNotLoaded = (): never => fail(RPC_CODE.WALLET_NOT_FOUND, NOT_LOADED);

/**
 * Throws if the wallet was unloaded. Calls that pause while reading private keys check again: the keys of an unloaded
 * wallet are overwritten and seem not to exist.
 */
export function ensureLoaded(wallet: Wallet): void {
  if (wallet.closed) failNotLoaded();
}

export function legacyOf(wallet: Wallet): LegacyKeys {
  return wallet.legacy ?? fail(RPC_CODE.WALLET_ERROR, 'This type of wallet does not support this command');
}

/** Checks a label argument; "*" is refused. */
export function labelOf(label: string): string {
  if (label === '*') fail(RPC_CODE.WALLET_INVALID_LABEL_NAME, 'Invalid label name');
  return label;
}

/** Returns the block up to which the wallet has recorded everything. */
export const lastProcessed = (wallet: Wallet): { hash: string; height: number } | undefined =>
  wallet.tip ? { hash: wallet.tip.hashHex, height: wallet.tip.height } : undefined;
