// Drafts a payment by the rules since release 22: coins count with their effective value, so the amount to reach is
// known before selection. Core's master: CreateTransactionInternal.
import { compactSizeLength } from '../../../consensus/bytes/compact-size.js';
import { formatMoney } from '../../../consensus/limits.js';
import { dustThreshold } from '../../../policy/dust.js';
import { feeForSize } from '../../../policy/fee-rate.js';
import type { TierTerms } from './choose-coins.js';
import type { Draft, DraftTerms, Recipient } from './draft.js';
import type { CoinColumns, Groups } from './groups.js';
import { addedBy, changeOf, chooseByWaste, type Refusal, type Selection, SMALLEST_CHANGE, type WasteChoice } from './least-waste.js';
import type { RandomSource } from './random.js';
import { type InputSize, outputBytes, transactionWeight } from './tx-size.js';

/** Virtual size of version, lock time, input count and segwit marker. */
const FIXED_BYTES = 10;
const WITNESS_SCALE = 4;
/** Largest desired change, satoshis. */
const LARGEST_CHANGE = 1_000_000;
/** Largest weight of a version 3 transaction with an unconfirmed parent (BIP-0431). */
const MAX_CHILD_WEIGHT_3 = 4_000;

const COMBINED_TOO_HEAVY =
  "The combination of the pre-selected inputs and the wallet automatic inputs selection exceeds the transaction maximum weight. Please try sending a smaller amount or manually consolidating your wallet's UTXOs";

/** Terms of a draft. Rates in satoshis per 1,000 virtual bytes, amounts in satoshis. */
export interface WasteDraftTerms extends DraftTerms, TierTerms {
  readonly longTermFeeRate: number;
  /** Virtual size of an input that spends the change. */
  readonly changeSpendBytes: number;
  /** Largest weight of the transaction. */
  readonly maxWeight: number;
  readonly version: number;
  /** Available coins. */
  readonly coins: CoinColumns;
  readonly mixed: Groups;
  readonly positive: Groups;
  /** True if coin selection may add coins. */
  readonly addInputs: boolean;
  /** Required coins. Their indexes follow those of `coins`. */
  readonly presets: readonly { readonly value: number; readonly bytes: number; readonly bumpFee: number }[];
}

export interface WasteDraftTools {
  /** Returns the size of a coin's input; null: unknown. */
  inputSize(coin: number): InputSize | null;
  /** Returns the bump fee for spending some coins together; null if too many unconfirmed transactions are connected. */
  combinedBump(coins: readonly number[]): Promise<number | null>;
  readonly chance: RandomSource;
  /** Logs the search that won. */
  log(line: string): void;
}

export async function draftByWaste(terms: WasteDraftTerms, tools: WasteDraftTools): Promise<Draft | Refusal> {
  const { recipients, feeRate, discardRate, changeScript, presets, coins } = terms;
  const up = (rate: number, bytes: number): number => feeForSize(rate, bytes, true);
  const recipientsPay = recipients.some(({ subtractFee }) => subtractFee);
  const total = recipients.reduce((sum, { amount }) => sum + amount, 0);
  const fixedBytes = recipients.reduce((sum, { script }) => sum + outputBytes(script), FIXED_BYTES + compactSizeLength(recipients.length));
  const changeBytes = outputBytes(changeScript);
  const changeFee = up(feeRate, changeBytes);
  const changeSpendFee = up(discardRate, terms.changeSpendBytes);
  const target = total + (recipientsPay ? 0 : up(feeRate, fixedBytes));
  if (target === 0 && presets.length === 0) {
    return { error: 'Transaction requires one destination of non-zero value, a non-zero feerate, or a pre-selected input' };
  }
  const presetAdded = presets.reduce(
    (sum, { value, bytes, bumpFee }) => sum + value - (recipientsPay ? 0 : up(feeRate, bytes) + bumpFee),
    0,
  );
  const inputsWeight = terms.maxWeight - fixedBytes * WITNESS_SCALE;
  const childWeight = terms.version === 3 ? Math.min(terms.maxWeight, MAX_CHILD_WEIGHT_3) - fixedBytes * WITNESS_SCALE : inputsWeight;
  const choice: WasteChoice = {
    ...terms,
    recipientsPay,
    target: target - presetAdded,
    changeFee,
    changeBytes,
    costOfChange: changeSpendFee + changeFee,
    smallestViable: Math.max(changeSpendFee + 1, dustThreshold(changeScript, discardRate, true)),
    changeTarget: changeFee + changeTarget(Math.floor(total / recipients.length), tools.chance),
    maxWeight: inputsWeight,
    maxChildWeight: childWeight,
    combinedBump: (some) => tools.combinedBump(some),
  };
  const selection = await choose(choice, terms, inputsWeight, tools);
  if ('error' in selection) return selection.error !== '' ? selection : { error: shortage(choice, terms, { target, total, presetAdded }) };

  const chosen = [...selection.coins, ...presets.map((_, i) => coins.count + i)];
  const added = presetAdded + addedBy(coins, selection.coins, choice) + (recipientsPay ? 0 : selection.bumpDiscount);
  const sizes = chosen.map((coin) => tools.inputSize(coin));
  if (sizes.some((size) => size === null)) return { error: 'Missing solving data for estimating transaction size' };
  let change = changeOf(choice, added, target);
  const withChange = change > 0;
  const changePosition = !withChange ? -1 : terms.changePosition >= 0 ? terms.changePosition : tools.chance.below(recipients.length + 1);
  if (changePosition > recipients.length) return { error: 'Transaction change output index out of range' };
  const scripts = recipients.map(({ script }) => script);
  const weight = transactionWeight(sizes as InputSize[], withChange ? [...scripts, changeScript] : scripts);
  // Refuse the payment if it is too heavy. Core drops the change here, and the transaction exceeds the allowed weight.
  if (weight > terms.maxWeight && selection.coins.length > 0) return { error: COMBINED_TOO_HEAVY };
  const size = Math.ceil(weight / WITNESS_SCALE);
  const bumps = selection.coins.reduce((sum, coin) => sum + coins.bumpFees[coin], 0) - selection.bumpDiscount;
  const needed = up(feeRate, size) + presets.reduce((sum, { bumpFee }) => sum + bumpFee, bumps);
  const given = selection.coins.reduce((sum, coin) => sum + coins.values[coin], 0) + presets.reduce((sum, { value }) => sum + value, 0);
  let fee = given - total - change;
  if (fee < 0) return { error: 'Fee paid < 0' };
  if (withChange && needed < fee) {
    change += fee - needed;
    fee = needed;
  }
  const amounts = recipientsPay ? reduced(recipients, needed - fee) : recipients.map(({ amount }) => amount);
  if (recipientsPay) {
    const fault = recipients.findIndex(
      ({ script, subtractFee }, i) => subtractFee && amounts[i] < dustThreshold(script, terms.dustRate, true),
    );
    if (fault >= 0) {
      const why = amounts[fault] < 0 ? 'to pay the fee' : 'to send after the fee has been deducted';
      return { error: `The transaction amount is too small ${why}` };
    }
    fee = needed;
  }
  if (needed > fee) return { error: 'Fee needed > fee paid' };
  tools.log(`Coin Selection: Algorithm:${selection.algorithm}, Waste Metric Score:${selection.waste}`);
  return { coins: chosen, fee, size, amounts, changePosition, change };
}

/**
 * Returns the desired change: about as much as the payment, so that the amounts do not reveal which output is change.
 */
function changeTarget(payment: number, chance: RandomSource): number {
  const most = Math.min(payment * 2, LARGEST_CHANGE);
  return most <= SMALLEST_CHANGE ? SMALLEST_CHANGE : SMALLEST_CHANGE + chance.below(most - SMALLEST_CHANGE);
}

async function choose(
  choice: WasteChoice,
  { addInputs, presets }: WasteDraftTerms,
  inputsWeight: number,
  { chance }: WasteDraftTools,
): Promise<Selection | Refusal> {
  if (choice.target <= 0) return { coins: [], bumpDiscount: 0, waste: 0, algorithm: 'manual' };
  if (!addInputs) {
    return {
      error:
        'The preselected coins total amount does not cover the transaction target. Please allow other inputs to be automatically selected or include more coins manually',
    };
  }
  if (available(choice) < choice.target) return { error: '' };
  const found = await chooseByWaste(choice, chance);
  if ('error' in found || presets.length === 0) return found;
  const bytes = found.coins.reduce((sum, coin) => sum + Math.max(0, choice.coins.inputBytes[coin]), 0);
  const weight = presets.reduce((sum, preset) => sum + preset.bytes, bytes) * WITNESS_SCALE;
  return weight > inputsWeight ? { error: COMBINED_TOO_HEAVY } : found;
}

/** Returns the effective value of all coins. */
function available(choice: WasteChoice): number {
  let sum = 0;
  for (let coin = 0; coin < choice.coins.count; coin++) sum += addedBy(choice.coins, [coin], choice);
  return sum;
}

function shortage(
  choice: WasteChoice,
  { coins, presets }: WasteDraftTerms,
  { target, total, presetAdded }: { readonly target: number; readonly total: number; readonly presetAdded: number },
): string {
  const balance = coins.values.reduce((sum, value) => sum + value, 0) + presets.reduce((sum, { value }) => sum + value, 0);
  const covered = balance >= total && presetAdded + available({ ...choice, recipientsPay: false }) < target;
  return covered
    ? `The total exceeds your balance when the ${formatMoney(target - total)} transaction fee is included.`
    : 'Insufficient funds';
}

/** Subtracts the fee from the amounts in equal shares. The first payer also pays the remainder of the division. */
function reduced(recipients: readonly Recipient[], fee: number): number[] {
  const payers = recipients.filter(({ subtractFee }) => subtractFee).length;
  let rest = fee % payers;
  return recipients.map(({ amount, subtractFee }) => {
    if (!subtractFee) return amount;
    const left = amount - Math.trunc(fee / payers) - rest;
    rest = 0;
    return left;
  });
}
