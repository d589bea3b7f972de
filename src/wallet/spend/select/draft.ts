// Drafts a payment by the rules of Core 0.21: coins, fee, amount and position of change. Sizes are the largest ones of
// signed inputs, so the fee is right before anything is signed. Pure: the caller supplies randomness and coin
// selection. Core: the loop of CWallet::CreateTransactionInternal.
import { dustThreshold } from '../../../policy/dust.js';
import { feeForSize } from '../../../policy/fee-rate.js';
import type { RandomSource } from './random.js';
import { type InputSize, outputBytes, virtualSize } from './tx-size.js';

/** Recipient. Amount in satoshis. */
export interface Recipient {
  readonly script: Uint8Array;
  readonly amount: number;
  /** True if the recipient pays a share of the fee. */
  readonly subtractFee: boolean;
}

/** Terms of a draft. Rates in satoshis per 1,000 virtual bytes. */
export interface DraftTerms {
  readonly recipients: readonly Recipient[];
  readonly feeRate: number;
  /** True if there is no fee rate: no estimate is available and the fallback rate is disabled. */
  readonly feeUnknown: boolean;
  /** Change that is dust at this rate goes to the fee. */
  readonly discardRate: number;
  readonly dustRate: number;
  /** Script of the change output, or a dummy of the same size; empty if there is no change. */
  readonly changeScript: Uint8Array;
  /** Index of the change output; -1: random. */
  readonly changePosition: number;
}

/** Result of a coin selection. */
export interface Chosen {
  /** Chosen coins; null: the coins are not enough. */
  readonly coins: readonly number[] | null;
  readonly value: number;
  readonly exact: boolean;
}

/** Drafted payment. */
export interface Draft {
  readonly coins: readonly number[];
  readonly fee: number;
  /** Largest virtual size when signed. */
  readonly size: number;
  /** Amounts of the recipients, less their shares of the fee. */
  readonly amounts: readonly number[];
  /** Index of the change output; -1: no change. */
  readonly changePosition: number;
  readonly change: number;
}

export interface DraftTools {
  /**
   * Selects coins.
   * @param exact true: search for coins that match the amount without change
   * @param fixedBytes virtual size of everything except inputs; 0 if recipients pay
   */
  choose(target: number, exact: boolean, fixedBytes: number): Chosen;
  /** Returns the size of a coin's input; null: it cannot be signed. */
  inputSize(coin: number): InputSize | null;
  readonly chance: RandomSource;
}

/** To pay a higher fee, change is reduced, but not below this amount, satoshis. */
const MIN_FINAL_CHANGE = 500_000;
/** Virtual size of version, lock time, two counts and segwit marker. */
const FIXED_BYTES = 11;
/** Bytes by which the counts of inputs and outputs may grow if change is added. */
const COUNT_GROWTH_BYTES = 2;

export function draftPayment(terms: DraftTerms, tools: DraftTools): Draft | { error: string } {
  const { recipients, feeRate, changeScript, discardRate } = terms;
  if (recipients.length === 0) return { error: 'Transaction must have at least one recipient' };
  if (recipients.some(({ amount }) => amount < 0)) return { error: 'Transaction amounts must not be negative' };
  const total = recipients.reduce((sum, { amount }) => sum + amount, 0);
  const recipientsPay = recipients.some(({ subtractFee }) => subtractFee);
  const fixedBytes = recipientsPay ? 0 : recipients.reduce((sum, { script }) => sum + outputBytes(script), FIXED_BYTES);
  const changeDust = dustThreshold(changeScript, discardRate);
  let fee = 0;
  let exact = true;
  let choosesCoins = true;
  let chosen: Chosen = { coins: null, value: 0, exact: false };
  for (;;) {
    const target = total + (recipientsPay ? 0 : fee);
    const amounts = amountsAfterFee(recipients, fee);
    const dust = dustError(recipients, amounts, fee, terms.dustRate);
    if (dust !== null) return { error: dust };
    if (choosesCoins) {
      chosen = tools.choose(target, exact, fixedBytes);
      if (chosen.coins === null) {
        if (!exact || !chosen.exact) return { error: 'Insufficient funds' };
        exact = false;
        continue;
      }
    }
    const coins = chosen.coins ?? [];
    let change = chosen.value - target;
    if (change > 0 && (change < changeDust || (chosen.exact && choosesCoins))) {
      fee += change;
      change = 0;
    }
    const sizes = coins.map((coin) => tools.inputSize(coin));
    if (sizes.some((size) => size === null)) return { error: 'Signing transaction failed' };
    const scripts = recipients.map(({ script }) => script);
    const size = virtualSize(sizes as InputSize[], change > 0 ? [...scripts, changeScript] : scripts);
    const needed = feeForSize(feeRate, size);
    if (terms.feeUnknown) {
      return { error: 'Fee estimation failed. Fallbackfee is disabled. Wait a few blocks or enable -fallbackfee.' };
    }
    const done = (): Draft | { error: string } => {
      const changePosition = change > 0 ? positionOf(terms, tools.chance) : -1;
      if (changePosition > recipients.length) return { error: 'Change index out of range' };
      return { coins, fee, size, amounts, changePosition, change };
    };
    if (fee >= needed) {
      if (change === 0 && !recipientsPay && choosesCoins) {
        // If the fee is high enough to include a change output, draft again with the same coins and with change.
        const withChange = feeForSize(feeRate, size + outputBytes(changeScript) + COUNT_GROWTH_BYTES);
        if (fee >= withChange + changeDust) {
          choosesCoins = false;
          fee = withChange;
          continue;
        }
      }
      if (change > 0 && !recipientsPay) {
        change += fee - needed;
        fee = needed;
      }
      return done();
    }
    if (!choosesCoins) return { error: 'Transaction fee and change calculation failed' };
    if (change > 0 && !recipientsPay && change >= MIN_FINAL_CHANGE + needed - fee) {
      change -= needed - fee;
      fee = needed;
      return done();
    }
    // If recipients pay, the fee is known now and the coins stay the same.
    if (recipientsPay) choosesCoins = false;
    fee = needed;
    exact = false;
  }
}

/** Subtracts the fee in equal shares. The first payer also pays the remainder of the division. */
function amountsAfterFee(recipients: readonly Recipient[], fee: number): number[] {
  const payers = recipients.filter(({ subtractFee }) => subtractFee).length;
  let rest = payers > 0 ? fee % payers : 0;
  return recipients.map(({ amount, subtractFee }) => {
    if (!subtractFee) return amount;
    const left = amount - Math.floor(fee / payers) - rest;
    rest = 0;
    return left;
  });
}

function dustError(recipients: readonly Recipient[], amounts: readonly number[], fee: number, dustRate: number): string | null {
  const at = amounts.findIndex((amount, i) => amount < dustThreshold(recipients[i].script, dustRate));
  if (at < 0) return null;
  if (!recipients[at].subtractFee || fee === 0) return 'Transaction amount too small';
  if (amounts[at] < 0) return 'The transaction amount is too small to pay the fee';
  return 'The transaction amount is too small to send after the fee has been deducted';
}

const positionOf = ({ changePosition, recipients }: DraftTerms, chance: RandomSource): number =>
  changePosition >= 0 ? changePosition : chance.below(recipients.length + 1);
