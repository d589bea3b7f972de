// Shared by sendmany and sendtoaddress. Core: wallet/rpc/spend.cpp.
import { type CoinControl, inPaymentQueue, payAndRecord, type Recipient, shuffle, WALLET_FLAG, type Wallet } from '../../wallet/index.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex } from '../render/hex.js';
import type { JsonResult } from '../wire/values.js';
import { ensureUnlocked } from './select.js';
import { toolsOf } from './spend-args.js';

/** Adds a comment to a payment unless it is empty. */
export function addComment(values: Map<string, string>, name: string, text = ''): void {
  if (text !== '') values.set(name, text);
}

export async function sendMoney(
  ctx: WalletContext,
  wallet: Wallet,
  payment: { readonly control: CoinControl; readonly recipients: readonly Recipient[]; readonly values: ReadonlyMap<string, string> },
  verbose: boolean,
): Promise<JsonResult> {
  ensureUnlocked(wallet);
  if (wallet.record.has(WALLET_FLAG.EXTERNAL_SIGNER)) {
    const text = 'Error: sendtoaddress and sendmany are not supported for wallets with external signers; use send instead';
    fail(RPC_CODE.WALLET_ERROR, text);
  }
  if (wallet.record.privateKeysDisabled) fail(RPC_CODE.WALLET_ERROR, 'Error: Private keys are disabled for this wallet');
  const tools = toolsOf(ctx);
  const { control, values } = payment;
  const recipients = shuffle([...payment.recipients], tools.chance);
  const { tx, reason } = await inPaymentQueue(wallet, async () => {
    const made = await payAndRecord(wallet, { recipients, control, changePosition: -1, sign: true }, values, tools);
    return 'error' in made ? fail(RPC_CODE.WALLET_INSUFFICIENT_FUNDS, made.error) : made;
  });
  const txid = hashHex(tx.txid);
  return verbose ? { txid, fee_reason: reason } : txid;
}
