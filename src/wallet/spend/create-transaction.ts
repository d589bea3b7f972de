// Makes a payment: collects the wallet's coins, selects among them (select/), takes a change address, builds the
// transaction and signs it. One payment at a time per wallet (payment-queue.ts). Core 0.21: CWallet::CreateTransaction.

import { SIGHASH_DEFAULT } from '../../consensus/script/sighash.js';
import { buildTx, type TxInputFields } from '../../consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { signTransaction, withInputs } from '../../signing/index.js';
import type { Wallet } from '../wallet.js';
import { areStillSpendable } from './available-coins.js';
import { changeTypeFor } from './change-script.js';
import { minimumFeeRate } from './fee-rates.js';
import type { Payment, PaymentError, PaymentRequest, SpendTools } from './payment.js';
import { gatherCoins, largestOf, type PaymentCoins, sizeOf } from './payment-coins.js';
import { MAX_STANDARD_WEIGHT, PaymentPlan } from './payment-plan.js';
import type { Draft } from './select/draft.js';
import { shuffle } from './select/random.js';
import { transactionWeight } from './select/tx-size.js';
import { SignedSizes } from './signed-size.js';
import { signingProviderOf } from './signing-provider-of.js';

/**
 * If the first selection exceeds the standard weight, the second attempt uses only this number of coins, those of
 * highest value.
 */
const LARGEST_COINS = 1000;
/** Largest number of attempts, if other changes spend a chosen coin before the payment is signed or recorded. */
export const MAX_TRIES = 5;
const NO_CHANGE_ADDRESS = "Transaction needs a change address, but we can't generate it. Please call keypoolrefill first.";
/** Error if in every attempt other changes spent a chosen coin. */
export const COINS_SPENT_MEANWHILE: PaymentError = { error: 'Insufficient funds' };
const TOO_LARGE: PaymentError = { error: 'Transaction too large' };
const SEQUENCE_REPLACEABLE = 0xffff_fffd;
/** Sequence number of inputs that makes the lock time effective without signalling replaceability. */
const SEQUENCE_LOCKABLE = 0xffff_fffe;
/** If the tip is older than this, the payment does not use its height as lock time. */
const FRESH_TIP_SECONDS = 8 * 60 * 60;
const EMPTY = new Uint8Array(0);

export async function createTransaction(wallet: Wallet, request: PaymentRequest, tools: SpendTools): Promise<Payment | PaymentError> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const answer = await makePayment(wallet, request, tools);
    if (answer !== 'moved') return answer;
  }
  return COINS_SPENT_MEANWHILE;
}

async function makePayment(wallet: Wallet, request: PaymentRequest, tools: SpendTools): Promise<Payment | PaymentError | 'moved'> {
  const { control, recipients } = request;
  const setting = { ...tools, payFeeRate: wallet.session.payFeeRate };
  const rate = await minimumFeeRate(setting, control);
  const { rules } = tools.options;
  const plan = await PaymentPlan.of(wallet, request, setting, rate);
  const refusal = plan.refusal();
  if (refusal !== null) return refusal;
  const sizes = new SignedSizes(wallet, control, tools);
  const pool = await gatherCoins(wallet, control, sizes, tools, rules.leastWaste ? rate.feeRate : null);
  const weight = (draft: Draft, from: PaymentCoins): number => {
    const scripts = recipients.map(({ script }) => script);
    const inputs = draft.coins.map((coin) => sizeOf(from, coin)!);
    return transactionWeight(inputs, draft.change > 0 ? [...scripts, plan.changeScript] : scripts);
  };
  let from = pool;
  let draft = await plan.draft(from);
  if (!('error' in draft) && weight(draft, from) > MAX_STANDARD_WEIGHT) {
    // The selected coins are too many for one transaction. Try again with the coins of highest value only.
    from = largestOf(pool, LARGEST_COINS);
    draft = await plan.draft(from);
    if ('error' in draft || weight(draft, from) > MAX_STANDARD_WEIGHT) return TOO_LARGE;
  }
  if ('error' in draft) return draft;
  if (draft.fee > tools.options.maxFeeSats) {
    return { error: 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)' };
  }

  const chosen = draft.coins.filter((coin) => coin < from.rows.length).map((coin) => wallet.ledger.coins.outpoint(from.rows[coin]));
  if (!areStillSpendable(wallet, chosen)) return 'moved';
  let changeScript = control.changeScript ?? EMPTY;
  if (draft.changePosition >= 0 && control.changeScript === null) {
    if (!wallet.keys.canGiveAddresses(true)) return { error: NO_CHANGE_ADDRESS };
    const address = await wallet.change((batch) => wallet.keys.newAddress(changeTypeFor(wallet, control, recipients, rules), true, batch));
    if ('error' in address) return { error: NO_CHANGE_ADDRESS };
    changeScript = address.script;
    // The change script has another size than assumed (an uncompressed key has only a P2PKH script), so make the
    // payment again with it.
    if (changeScript.length !== plan.changeScript.length) {
      return makePayment(wallet, { ...request, control: { ...control, changeScript } }, tools);
    }
  }
  const unsigned = assemble(wallet, request, tools, { draft, from, changeScript, locktime: await lockTime(wallet, tools) });
  const tx = request.sign ? await sign(wallet, unsigned, tools) : unsigned;
  if (tx === null) return { error: 'Signing transaction failed' };
  if (tx.weight > MAX_STANDARD_WEIGHT) return TOO_LARGE;
  const chainFault = await chainLimitFault(tx.bytes, tools);
  if (chainFault !== null) return chainFault;
  // commitTransaction repeats this check, because the record may have to wait for other work.
  if (!areStillSpendable(wallet, chosen)) return 'moved';
  return { tx, fee: draft.fee, changePosition: draft.changePosition, reason: rate.reason, chosen };
}

/**
 * Returns an error if the mempool would refuse a transaction because of its unconfirmed ancestors or descendants; null
 * if it would not.
 */
export async function chainLimitFault(bytes: Uint8Array, { client, options }: SpendTools): Promise<PaymentError | null> {
  if (!options.rejectLongChains || (await client.fitsChainLimits(bytes))) return null;
  return {
    error: options.rules.leastWaste ? 'too many unconfirmed transactions in cluster' : 'Transaction has too long of a mempool chain',
  };
}

function assemble(
  wallet: Wallet,
  request: PaymentRequest,
  { options, chance, crypto }: SpendTools,
  { draft, from, changeScript, locktime }: { draft: Draft; from: PaymentCoins; changeScript: Uint8Array; locktime: number },
): TxView {
  const { coins } = wallet.ledger;
  const sequence = (request.control.replaceable ?? options.replaceable) ? SEQUENCE_REPLACEABLE : SEQUENCE_LOCKABLE;
  const inputs = draft.coins.map((coin): TxInputFields => {
    const { length } = from.rows;
    const outpoint = coin < length ? coins.outpoint(from.rows[coin]) : from.presets[coin - length].outpoint;
    const prevIndex = new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true);
    return { prevHash: outpoint.subarray(0, 32), prevIndex, scriptSig: EMPTY, sequence };
  });
  const outputs = request.recipients.map(({ script }, i) => ({ value: draft.amounts[i], script }));
  if (draft.changePosition >= 0) outputs.splice(draft.changePosition, 0, { value: draft.change, script: changeScript });
  return parseTx(buildTx({ version: request.control.version, inputs: shuffle(inputs, chance), outputs, locktime }), crypto);
}

/**
 * Returns the lock time: normally the height of the tip, so that a miner gains nothing from replacing the last block
 * for its fees. A few payments use an earlier height.
 */
export async function lockTime(wallet: Wallet, { client, chance, nowSeconds }: SpendTools): Promise<number> {
  const isDownloading = await client.isInitialBlockDownload();
  const { tip } = wallet;
  if (tip === null || isDownloading || tip.time < nowSeconds() - FRESH_TIP_SECONDS) return 0;
  return chance.below(10) === 0 ? Math.max(0, tip.height - chance.below(100)) : tip.height;
}

/** Signs a transaction; null if an input could not be signed. */
export async function sign(wallet: Wallet, tx: TxView, tools: SpendTools): Promise<TxView | null> {
  const { coins } = wallet.ledger;
  const spent = Array.from({ length: tx.inputCount }, (_, i) => {
    const coin = coins.find(tx.outpoint(i));
    return coin < 0 ? null : { value: coins.value(coin), script: coins.script(coin) };
  });
  const inputs = await signTransaction(tx, spent, signingProviderOf(wallet, spent), SIGHASH_DEFAULT, tools);
  return inputs.every(({ error }) => error === null) ? parseTx(withInputs(tx, inputs), tools.crypto) : null;
}
