// Replaces a payment by one with a higher fee: the same recipients and all of its inputs, less change, and more inputs
// if needed. Core: wallet/feebumper.cpp.

import { compactSizeLength } from '../../consensus/bytes/compact-size.js';
import { hashKey, hashToHex } from '../../consensus/bytes/hex.js';
import { formatMoney } from '../../consensus/limits.js';
import { type SignatureChecker, TxSignatureChecker } from '../../consensus/script/checker.js';
import { STANDARD_SCRIPT_FLAGS } from '../../consensus/script/flags.js';
import { verifyScript } from '../../consensus/script/interpreter.js';
import { SigVersion } from '../../consensus/script/sig-version.js';
import { SighashCache } from '../../consensus/script/sighash.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Crypto } from '../../crypto/crypto.js';
import { feeForSize, feeRateOf } from '../../policy/fee-rate.js';
import { signalsReplacement } from '../../policy/replaceable.js';
import { isChange as isChangeScript } from '../address-use.js';
import { matchesFilter } from '../coins/coin-table.js';
import { outpointOf } from '../coins/outpoint.js';
import { destinationOf } from '../keys/destination.js';
import { FILTER, type OwnershipFilter } from '../keys/ownership.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { areStillUnspent } from './available-coins.js';
import type { CoinControl } from './coin-control.js';
import { commitTransaction } from './commit-transaction.js';
import { COINS_SPENT_MEANWHILE, createTransaction } from './create-transaction.js';
import { minimumFeeRate, requiredFeeRate } from './fee-rates.js';
import type { PaymentError, SpendTools } from './payment.js';
import { sizeFromWeight } from './payment-coins.js';
import type { Recipient } from './select/draft.js';
import { CLUSTER_TOO_LARGE } from './select/least-waste.js';
import { type InputSize, OUTPOINT_AND_SEQUENCE, virtualSize } from './select/tx-size.js';
import { LARGEST_SIGNATURE, SignedSizes } from './signed-size.js';

const WITNESS_SCALE = 4;

/** Kind of failure of a fee bump. The caller maps it to an error code. */
export type BumpFailure = 'unknown' | 'parameter' | 'wallet' | 'other';

export interface BumpError {
  readonly failure: BumpFailure;
  readonly error: string;
}

export interface Bump {
  /** Unsigned transaction. */
  readonly tx: TxView;
  readonly oldFee: number;
  readonly newFee: number;
  /** Outpoints of added coins. */
  readonly chosen: readonly Uint8Array[];
}

/**
 * Smallest amount by which a replacement raises the rate, satoshis per 1,000 virtual bytes: more than nodes require, in
 * case they require more later (Core's WALLET_INCREMENTAL_RELAY_FEE).
 */
const WALLET_INCREMENT = 5_000;

const refuse = (failure: BumpFailure, error: string): BumpError => ({ failure, error });

const creationFailed = ({ error }: PaymentError): BumpError => refuse('wallet', `Unable to create transaction. ${error}`);

const ownFilter = (wallet: Wallet): OwnershipFilter =>
  wallet.legacy && wallet.record.privateKeysDisabled ? FILTER.WATCH : FILTER.SPENDABLE;

/** Options of a replacement besides its fee rate. */
export interface BumpOptions {
  /** True if the inputs may belong to other wallets, which then sign them. */
  readonly foreignInputs: boolean;
  /** Outputs that replace those of the old transaction; empty: keep the old outputs. */
  readonly outputs: readonly { readonly value: number | bigint; readonly script: Uint8Array }[];
  /** Index of the change among the old outputs, as the caller says; null: the wallet decides. */
  readonly changeIndex: number | null;
}

/** Options that give the behaviour of Core 0.21, where bumpfee has none of these options. */
export const PLAIN_BUMP: BumpOptions = { foreignInputs: false, outputs: [], changeIndex: null };

/**
 * Finds the outputs that the inputs of a transaction spend, in the chain and in the mempool; null for unknown outputs.
 * Outputs that a mempool transaction spends are found too.
 */
export type FindOutputs = (tx: TxView) => Promise<readonly (SpentOutput | null)[]>;

/**
 * Returns why a transaction cannot be bumped now; null if it can.
 * @param hasDescendants whether it has descendants in the mempool
 */
export function bumpObstacle(
  wallet: Wallet,
  row: number,
  tx: TxView,
  { options }: SpendTools,
  hasDescendants: boolean,
  { foreignInputs }: Pick<BumpOptions, 'foreignInputs'> = PLAIN_BUMP,
): BumpError | null {
  const { txs, spends, coins } = wallet.ledger;
  const { txid } = tx;
  for (let vout = 0; vout < tx.outputCount; vout++) {
    const outpoint = outpointOf(txid, vout);
    // Core 0.21 counts every descendant in the wallet, later releases ignore abandoned ones.
    const isSpent = options.rules.bumpsAny ? wallet.ledger.isSpent(outpoint) : spends.spenders(outpoint).length > 0;
    if (isSpent) return refuse('parameter', 'Transaction has descendants in the wallet');
  }
  if (hasDescendants) return refuse('parameter', 'Transaction has descendants in the mempool');
  if (wallet.ledger.depth(row) !== 0) {
    return refuse('wallet', 'Transaction has been mined, or is conflicted with a mined transaction');
  }
  if (!options.rules.bumpsAny && !signalsReplacement(tx)) return refuse('wallet', 'Transaction is not BIP 125 replaceable');
  const successor = txs.values(row)?.get('replaced_by_txid');
  if (successor !== undefined) {
    return refuse('wallet', `Cannot bump transaction ${hashToHex(txid)} which was already bumped by transaction ${successor}`);
  }
  if (foreignInputs) return null;
  const filter = ownFilter(wallet);
  for (let i = 0; i < tx.inputCount; i++) {
    const coin = coins.find(tx.outpoint(i));
    if (coin < 0 || !matchesFilter(coins.ownership(coin), filter)) {
      return refuse('wallet', "Transaction contains inputs that don't belong to this wallet");
    }
  }
  return null;
}

/** Returns whether a mempool transaction spends outputs of a transaction. */
async function hasDescendants(txid: Uint8Array, { client }: SpendTools): Promise<boolean> {
  const [relatives] = await client.relatives([txid]);
  return relatives?.hasDescendants ?? false;
}

/**
 * Makes the unsigned replacement.
 * @param asked options of the caller; inputs and change are set here
 * @param find see FindOutputs
 */
export async function createBump(
  wallet: Wallet,
  txid: Uint8Array,
  asked: CoinControl,
  wishes: BumpOptions,
  tools: SpendTools,
  find: FindOutputs,
): Promise<Bump | BumpError> {
  if (wishes.outputs.length > 0 && wishes.changeIndex !== null) {
    return refuse(
      'parameter',
      "The options 'outputs' and 'original_change_index' are incompatible. You can only either specify a new set of outputs, or designate a change output to be recycled.",
    );
  }
  const { rules } = tools.options;
  const row = wallet.ledger.txs.find(txid);
  const tx = row < 0 ? undefined : await wallet.reader.readOne(row);
  if (tx === undefined) return refuse('unknown', 'Invalid or non-wallet transaction id');
  if ((wishes.changeIndex ?? 0) >= tx.outputCount) return refuse('parameter', 'Change position is out of range');
  const spent = rules.bumpsAny ? await find(tx) : [];
  const spentInput = rules.bumpsAny ? spent.indexOf(null) : -1;
  if (spentInput >= 0) return refuse('other', `${hashToHex(tx.prevHash(spentInput))}:${tx.prevIndex(spentInput)} is already spent`);
  const obstacle = bumpObstacle(wallet, row, tx, tools, await hasDescendants(tx.txid, tools), wishes);
  if (obstacle) return obstacle;
  const paid = Array.from({ length: tx.outputCount }, (_, i) => tx.outputValue(i)).reduce((sum, value) => sum + value, 0);
  const given = rules.bumpsAny ? spent.reduce((sum, output) => sum + output!.value, 0) : wallet.ledger.sheet.debit(tx, ownFilter(wallet));
  const oldFee = given - paid;
  const inputs = Array.from({ length: tx.inputCount }, (_, i) => new Uint8Array(tx.outpoint(i)));
  const known = foreignInputs(wallet, tx, spent as SpentOutput[]);
  const { recipients, changeScript } = recipientsOf(wallet, tx, wishes, asked.changeScript);
  if (recipients.length === 0 && rules.bumpsAny) {
    return refuse('parameter', 'Unable to create transaction. Transaction must have at least one recipient');
  }
  // New unconfirmed inputs are not allowed (BIP-0125, rule 2).
  const control = { ...asked, ...known, changeScript, inputs, minDepth: 1 };
  const setting = { ...tools, payFeeRate: wallet.session.payFeeRate };
  let { feeRate } = control;
  if (feeRate === null) {
    // The old rate was rounded down, so add 1.
    const increment = Math.max((await tools.client.rates()).incremental, WALLET_INCREMENT);
    feeRate = Math.max(feeRateOf(oldFee, tx.vsize) + 1 + increment, (await minimumFeeRate(setting, control)).feeRate);
  } else {
    const oldRate = feeRateOf(oldFee, tx.vsize);
    const terms = { oldFee, oldRate, required: await requiredFeeRate(setting), control, outputs: wishes.outputs };
    const fault = await checkRate(feeRate, terms, wallet, tx, tools);
    if (fault) return fault;
  }
  const request = { recipients, control: { ...control, feeRate }, changePosition: -1, sign: false };
  const made = await createTransaction(wallet, request, tools);
  if ('error' in made) return creationFailed(made);
  return { tx: made.tx, oldFee, newFee: made.fee, chosen: made.chosen };
}

/**
 * Returns the recipients. Several change outputs become one. If all outputs are change, the change output becomes the
 * recipient and pays the fee.
 */
function recipientsOf(
  wallet: Wallet,
  tx: TxView,
  { outputs, changeIndex }: BumpOptions,
  elsewhere: Uint8Array | null,
): { recipients: Recipient[]; changeScript: Uint8Array | null } {
  const old = Array.from({ length: tx.outputCount }, (_, i) => ({ value: tx.outputValue(i), script: tx.outputScript(i) }));
  const recipients: Recipient[] = [];
  let changeScript = elsewhere;
  let total = 0;
  for (const [i, { value, script }] of (outputs.length > 0 ? outputs : old).entries()) {
    total += Number(value);
    const isChange = changeIndex === null ? isChangeScript(wallet, script) : changeIndex === i;
    if (!isChange) recipients.push({ script, amount: Number(value), subtractFee: false });
    else changeScript = changeIndex === null ? (destinationOf(script, wallet.parts.crypto) ?? changeScript) : script;
  }
  if (recipients.length > 0 || changeScript === null) return { recipients, changeScript };
  return { recipients: [{ script: changeScript, amount: total, subtractFee: true }], changeScript: null };
}

/**
 * Returns the inputs that are not the wallet's, each with its largest weight: as in the old transaction, but with
 * signatures of the largest size.
 */
function foreignInputs(wallet: Wallet, tx: TxView, spent: readonly SpentOutput[]): Pick<CoinControl, 'foreign' | 'weights'> {
  const { coins } = wallet.ledger;
  const foreign = new Map<string, SpentOutput>();
  const weights = new Map<string, number>();
  for (const [i, output] of spent.entries()) {
    if (coins.find(tx.outpoint(i)) >= 0) continue;
    const key = hashKey(tx.outpoint(i));
    foreign.set(key, { value: output.value, script: new Uint8Array(output.script) });
    weights.set(key, largestInputWeight(tx, i, spent, wallet.parts.crypto));
  }
  return { foreign, weights };
}

/** Returns the weight of a signed input if each of its signatures had the largest size. */
function largestInputWeight(tx: TxView, input: number, spent: readonly SpentOutput[], crypto: Crypto): number {
  const witness = tx.witness(input);
  const scriptSig = tx.scriptSig(input);
  const items = witness.reduce((sum, item) => sum + compactSizeLength(item.length) + item.length, compactSizeLength(witness.length));
  const now = (OUTPOINT_AND_SEQUENCE + compactSizeLength(scriptSig.length) + scriptSig.length) * WITNESS_SCALE + items;
  let signatureGrowth = 0;
  const checker = new TxSignatureChecker(tx, input, spent, crypto, new SighashCache(tx, crypto, spent));
  const watching: SignatureChecker = {
    crypto,
    checkEcdsa: (signature, publicKey, scriptCode, sigVersion) => {
      const good = checker.checkEcdsa(signature, publicKey, scriptCode, sigVersion);
      if (good) signatureGrowth += (LARGEST_SIGNATURE - signature.length) * (sigVersion === SigVersion.BASE ? WITNESS_SCALE : 1);
      return good;
    },
    checkSchnorr: (...asked) => checker.checkSchnorr(...asked),
    checkLockTime: (lockTime) => checker.checkLockTime(lockTime),
    checkSequence: (sequence) => checker.checkSequence(sequence),
  };
  verifyScript(scriptSig, spent[input].script, witness, STANDARD_SCRIPT_FLAGS, watching);
  return now + signatureGrowth;
}

/** Values with which a requested fee rate is compared. */
interface RateTerms {
  readonly oldFee: number;
  /** Satoshis per 1,000 virtual bytes. */
  readonly oldRate: number;
  readonly required: number;
  readonly control: CoinControl;
  readonly outputs: BumpOptions['outputs'];
}

/** Checks a requested fee rate, satoshis per 1,000 virtual bytes. */
async function checkRate(
  feeRate: number,
  { oldFee, oldRate, required, control, outputs }: RateTerms,
  wallet: Wallet,
  tx: TxView,
  tools: SpendTools,
): Promise<BumpError | null> {
  const { client, options } = tools;
  const { mempoolMinimum: poolMinimum, incremental } = await client.rates();
  if (feeRate < poolMinimum) {
    const [asked, least] = [feeRate, poolMinimum].map(formatMoney);
    return refuse('wallet', `New fee rate (${asked}) is lower than the minimum fee rate (${least}) to get into the mempool -- `);
  }
  const { bumpsAny } = options.rules;
  const size = signedSize(wallet, tx, { ...control, allowWatchOnly: bumpsAny && control.allowWatchOnly }, outputs, tools);
  if (size === null) return refuse('wallet', "Can't sign transaction.");
  const at = (rate: number): number => feeForSize(rate, size, bumpsAny);
  const bump = bumpsAny ? await client.bumpFees(control.inputs, feeRate) : { together: 0 };
  if (bump === null) return refuse('wallet', CLUSTER_TOO_LARGE);
  const fee = at(feeRate) + bump.together;
  // The lowest fee, up to release 0.21: at the old rate plus the wallet's increment. Later: the old fee plus the
  // mempool's increment for the new size.
  const old = bumpsAny ? oldFee : at(oldRate);
  const increment = at(bumpsAny ? incremental : Math.max(incremental, WALLET_INCREMENT));
  if (fee < old + increment) {
    const sums = `(oldFee ${formatMoney(old)} + incrementalFee ${formatMoney(increment)})`;
    return refuse('parameter', `Insufficient total fee ${formatMoney(fee)}, must be at least ${formatMoney(old + increment)} ${sums}`);
  }
  const requiredFee = at(required);
  if (fee < requiredFee) {
    return refuse('parameter', `Insufficient total fee (cannot be less than required fee ${formatMoney(requiredFee)})`);
  }
  if (fee > options.maxFeeSats) {
    const most = `(cannot be higher than -maxtxfee ${formatMoney(options.maxFeeSats)})`;
    return refuse('wallet', `Specified or calculated fee ${formatMoney(fee)} is too high ${most}`);
  }
  return null;
}

/**
 * Returns the virtual size of a transaction with the largest signatures.
 * @param outputs used instead of the transaction's outputs, unless empty
 */
function signedSize(wallet: Wallet, tx: TxView, control: CoinControl, outputs: BumpOptions['outputs'], tools: SpendTools): number | null {
  const { coins } = wallet.ledger;
  const { foreign, weights } = control;
  const sizes = new SignedSizes(wallet, control, tools);
  const inputs: InputSize[] = [];
  for (let i = 0; i < tx.inputCount; i++) {
    const key = hashKey(tx.outpoint(i));
    const other = foreign.get(key);
    const size = other ? sizeFromWeight(other.script, weights.get(key) ?? 0) : sizes.of(coins.script(coins.find(tx.outpoint(i))));
    if (size === null) return null;
    inputs.push(size);
  }
  const own = Array.from({ length: tx.outputCount }, (_, i) => tx.outputScript(i));
  return virtualSize(inputs, outputs.length > 0 ? outputs.map(({ script }) => script) : own);
}

/**
 * Records the signed replacement and its link to the replaced transaction, then submits it.
 * @param chosen outpoints of coins that were added
 * @returns the obstacle at the moment of recording; null if there was none
 */
export async function commitBump(
  wallet: Wallet,
  txid: Uint8Array,
  { tx, chosen }: Pick<Bump, 'tx' | 'chosen'>,
  tools: SpendTools,
): Promise<BumpError | null> {
  const { txs } = wallet.ledger;
  const row = txs.find(txid);
  const old = row < 0 ? undefined : await wallet.reader.readOne(row);
  if (old === undefined) return refuse('unknown', 'Invalid or non-wallet transaction id');
  let obstacle: BumpError | null = null;
  const followed = await hasDescendants(txid, tools);
  const stands = (): boolean => {
    obstacle =
      bumpObstacle(wallet, row, old, tools, followed, { foreignInputs: tools.options.rules.bumpsAny }) ??
      (areStillUnspent(wallet, chosen) ? null : creationFailed(COINS_SPENT_MEANWHILE));
    return obstacle === null;
  };
  const values = new Map(txs.values(row) ?? []);
  values.set('replaces_txid', hashToHex(txid));
  const also = (batch: WalletBatch): void => {
    txs.setValue(row, 'replaced_by_txid', hashToHex(tx.txid));
    txs.write(row, txs.place(row), null, batch);
  };
  await commitTransaction(wallet, tx, values, tools, { isStillValid: stands, alsoWrite: also });
  return obstacle;
}
