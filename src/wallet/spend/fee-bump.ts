// A payment again with a higher fee: the same recipients and all of its inputs, less change, and more inputs where that
// is not enough. Core 0.21: wallet/feebumper.cpp.
import { hashToHex } from '../../consensus/bytes/hex.js';
import { formatMoney } from '../../consensus/limits.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { feeForSize, feeRateOf } from '../../policy/fee-rate.js';
import { signalsReplacement } from '../../policy/replaceable.js';
import { counts } from '../coins/coin-table.js';
import { outpointOf } from '../coins/outpoint.js';
import { destinationOf } from '../keys/destination.js';
import { FILTER, type OwnershipFilter } from '../keys/ownership.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { stillUnspent } from './available-coins.js';
import type { CoinControl } from './coin-control.js';
import { commitTransaction } from './commit-transaction.js';
import { COINS_GONE, createTransaction } from './create-transaction.js';
import { minimumFeeRate, requiredFeeRate } from './fee-rates.js';
import type { PaymentError, SpendTools } from './payment.js';
import type { Recipient } from './select/draft.js';
import { type InputSize, virtualSize } from './select/tx-size.js';
import { SignedSizes } from './signed-size.js';

/** What kind of failure it is: the caller knows the codes. */
export type BumpFailure = 'unknown' | 'parameter' | 'wallet';

export interface BumpError {
  readonly failure: BumpFailure;
  readonly error: string;
}

export interface Bump {
  /** Unsigned. */
  readonly tx: TxView;
  readonly oldFee: number;
  readonly newFee: number;
  /** Outpoints of the coins that were added. */
  readonly chosen: readonly Uint8Array[];
}

/**
 * What a replacement pays above the old rate at least, satoshis per 1,000 virtual bytes: more than today's nodes ask.
 */
const WALLET_INCREMENT = 5_000;

const refuse = (failure: BumpFailure, error: string): BumpError => ({ failure, error });

const notMade = ({ error }: PaymentError): BumpError => refuse('wallet', `Unable to create transaction. ${error}`);

const ownFilter = (wallet: Wallet): OwnershipFilter => (wallet.legacy && wallet.privateKeysDisabled ? FILTER.WATCH : FILTER.SPENDABLE);

/** Why a transaction cannot be bumped (now); null when it can. */
export function bumpObstacle(wallet: Wallet, row: number, tx: TxView, { node }: SpendTools): BumpError | null {
  const { txs, spends, coins } = wallet.ledger;
  const { txid } = tx;
  for (let vout = 0; vout < tx.outputCount; vout++) {
    if (spends.spenders(outpointOf(txid, vout)).length > 0) return refuse('parameter', 'Transaction has descendants in the wallet');
  }
  if (node.hasDescendants(txid)) return refuse('parameter', 'Transaction has descendants in the mempool');
  if (wallet.ledger.depth(row) !== 0) {
    return refuse('wallet', 'Transaction has been mined, or is conflicted with a mined transaction');
  }
  if (!signalsReplacement(tx)) return refuse('wallet', 'Transaction is not BIP 125 replaceable');
  const successor = txs.values(row)?.get('replaced_by_txid');
  if (successor !== undefined) {
    return refuse('wallet', `Cannot bump transaction ${hashToHex(txid)} which was already bumped by transaction ${successor}`);
  }
  const filter = ownFilter(wallet);
  for (let i = 0; i < tx.inputCount; i++) {
    const coin = coins.find(tx.outpoint(i));
    if (coin < 0 || !counts(coins.ownership(coin), filter)) {
      return refuse('wallet', "Transaction contains inputs that don't belong to this wallet");
    }
  }
  return null;
}

/** Makes the replacement, unsigned. @param control what the caller asked for; its inputs and change are set here */
export async function createBump(
  wallet: Wallet,
  txid: Uint8Array,
  control: CoinControl,
  tools: SpendTools,
  breathe?: () => unknown,
): Promise<Bump | BumpError> {
  const row = wallet.ledger.txs.find(txid);
  const tx = row < 0 ? undefined : await wallet.transaction(row);
  if (tx === undefined) return refuse('unknown', 'Invalid or non-wallet transaction id');
  const obstacle = bumpObstacle(wallet, row, tx, tools);
  if (obstacle) return obstacle;
  const { recipients, changeScript } = recipientsOf(wallet, tx);
  let paid = 0;
  for (let i = 0; i < tx.outputCount; i++) paid += tx.outputValue(i);
  const oldFee = wallet.ledger.sheet.debit(tx, ownFilter(wallet)) - paid;
  const setting = { ...tools, payFeeRate: wallet.payFeeRate };
  const increment = Math.max(tools.node.rates().incremental, WALLET_INCREMENT);
  let { feeRate } = control;
  if (feeRate === null) {
    // The rate was rounded down once: one more makes up for it.
    feeRate = Math.max(feeRateOf(oldFee, tx.vsize) + 1 + increment, minimumFeeRate(setting, control).feeRate);
  } else {
    const fault = checkRate(
      feeRate,
      { oldRate: feeRateOf(oldFee, tx.vsize), increment, required: requiredFeeRate(setting) },
      wallet,
      tx,
      tools,
    );
    if (fault) return fault;
  }
  const inputs = Array.from({ length: tx.inputCount }, (_, i) => new Uint8Array(tx.outpoint(i)));
  // An unconfirmed input that the old payment did not have is not allowed (BIP-0125, rule 2).
  const wanted = { ...control, feeRate, changeScript: changeScript ?? control.changeScript, inputs, minDepth: 1 };
  const made = await createTransaction(wallet, { recipients, control: wanted, changePosition: -1, sign: false }, tools, breathe);
  if ('error' in made) return notMade(made);
  return { tx: made.tx, oldFee, newFee: made.fee, chosen: made.chosen };
}

/** Whom it pays; several change outputs become one. */
function recipientsOf(wallet: Wallet, tx: TxView): { recipients: Recipient[]; changeScript: Uint8Array | null } {
  const recipients: Recipient[] = [];
  let changeScript: Uint8Array | null = null;
  for (let i = 0; i < tx.outputCount; i++) {
    const script = tx.outputScript(i);
    if (wallet.isChange(script)) changeScript = destinationOf(script, wallet.parts.crypto) ?? changeScript;
    else recipients.push({ script, amount: tx.outputValue(i), subtractFee: false });
  }
  return { recipients, changeScript };
}

/** A rate that the caller named. Rates in satoshis per 1,000 virtual bytes. */
function checkRate(
  feeRate: number,
  { oldRate, increment, required }: { oldRate: number; increment: number; required: number },
  wallet: Wallet,
  tx: TxView,
  { node, options }: SpendTools,
): BumpError | null {
  const { poolMinimum } = node.rates();
  if (feeRate < poolMinimum) {
    const [asked, least] = [feeRate, poolMinimum].map(formatMoney);
    return refuse('wallet', `New fee rate (${asked}) is lower than the minimum fee rate (${least}) to get into the mempool -- `);
  }
  const size = signedSize(wallet, tx);
  if (size === null) return refuse('wallet', "Can't sign transaction.");
  const fee = feeForSize(feeRate, size);
  const oldFee = feeForSize(oldRate, size);
  const incrementFee = feeForSize(increment, size);
  if (fee < oldFee + incrementFee) {
    const sums = `(oldFee ${formatMoney(oldFee)} + incrementalFee ${formatMoney(incrementFee)})`;
    return refuse(
      'parameter',
      `Insufficient total fee ${formatMoney(fee)}, must be at least ${formatMoney(oldFee + incrementFee)} ${sums}`,
    );
  }
  const requiredFee = feeForSize(required, size);
  if (fee < requiredFee) {
    return refuse('parameter', `Insufficient total fee (cannot be less than required fee ${formatMoney(requiredFee)})`);
  }
  if (fee > options.maxFeeSats) {
    const most = `(cannot be higher than -maxtxfee ${formatMoney(options.maxFeeSats)})`;
    return refuse('wallet', `Specified or calculated fee ${formatMoney(fee)} is too high ${most}`);
  }
  return null;
}

/** Virtual size of a transaction of the wallet with the largest signatures. */
function signedSize(wallet: Wallet, tx: TxView): number | null {
  const { coins } = wallet.ledger;
  const sizes = new SignedSizes(wallet, false);
  const inputs: InputSize[] = [];
  for (let i = 0; i < tx.inputCount; i++) {
    const size = sizes.of(coins.script(coins.find(tx.outpoint(i))));
    if (size === null) return null;
    inputs.push(size);
  }
  return virtualSize(
    inputs,
    Array.from({ length: tx.outputCount }, (_, i) => tx.outputScript(i)),
  );
}

/**
 * Records the signed replacement beside what it replaces, and hands it in.
 * @param chosen see Bump @returns what stands in the way in the moment of recording, else null
 */
export async function commitBump(
  wallet: Wallet,
  txid: Uint8Array,
  { tx, chosen }: Pick<Bump, 'tx' | 'chosen'>,
  tools: SpendTools,
): Promise<BumpError | null> {
  const { txs } = wallet.ledger;
  const row = txs.find(txid);
  const old = row < 0 ? undefined : await wallet.transaction(row);
  if (old === undefined) return refuse('unknown', 'Invalid or non-wallet transaction id');
  let obstacle: BumpError | null = null;
  const stands = (): boolean => {
    obstacle = bumpObstacle(wallet, row, old, tools) ?? (stillUnspent(wallet, chosen) ? null : notMade(COINS_GONE));
    return obstacle === null;
  };
  const values = new Map(txs.values(row) ?? []);
  values.set('replaces_txid', hashToHex(txid));
  const also = (batch: WalletBatch): void => {
    txs.setValue(row, 'replaced_by_txid', hashToHex(tx.txid));
    txs.write(row, txs.place(row), null, batch);
  };
  await commitTransaction(wallet, tx, values, tools, { stands, also });
  return obstacle;
}
