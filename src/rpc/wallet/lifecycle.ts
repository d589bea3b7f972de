// Shared by methods that create, load, unload, list, back up, and restore wallets, and change their flags.

import { follows, only } from '../../policy/compat.js';
import { VERIFY } from '../../wallet/index.js';
import { asString } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { JsonResult, JsonValue } from '../wire/values.js';
import { walletNameOf } from './select.js';

/** Returns warnings in both forms: one text, and if there are any a list (since release 25). */
export const warned = (warnings: readonly string[]): Record<string, JsonResult> => ({
  warning: warnings.join('\n'),
  ...(warnings.length > 0 ? { warnings } : {}),
});

/** Checks a wallet's name as release 31 does: no relative paths upwards, no unnormalized paths. */
export function checkName({ compat }: WalletContext, name: string): void {
  if (!only(compat, 31)) return;
  const refuse = (why: string): never => fail(RPC_CODE.WALLET_ERROR, `${VERIFY}Wallet name ${why}`);
  const parts = name.split('/').filter((part) => part !== '');
  const isDetour = (part: string, at: number): boolean =>
    part === '.' ? parts.length > 1 : part === '..' && (name.startsWith('/') || (at > 0 && parts[at - 1] !== '..'));
  if (parts.some(isDetour) || /(^|\/)\.\.?\/$/.test(name)) refuse('given as a path must be normalized');
  if (parts[0] === '.' || parts[0] === '..') {
    refuse('given as a relative path cannot begin with ./ or ../, for wallets not in the walletdir, please use an absolute path.');
  }
  if (name.startsWith('/') && parts.length === 0) refuse('cannot be the root path');
}

/** Returns the wallet that a call names in its endpoint, in an argument, or in both. */
export function uniqueWalletName(ctx: WalletContext, call: CallInfo, value: JsonValue): string {
  const endpoint = walletNameOf(call.path);
  const same = follows(ctx.compat, 22);
  if (endpoint !== null && value !== null && same && endpoint !== asString(value)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'The RPC endpoint wallet and the wallet name parameter specify different wallets');
  }
  if (endpoint !== null && value !== null && !same) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Both the RPC endpoint wallet and wallet_name parameter were provided (only one allowed)');
  }
  if (endpoint === null && value === null && follows(ctx.compat, 30)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Either the RPC endpoint wallet or the wallet name parameter must be provided');
  }
  return endpoint ?? asString(value);
}
