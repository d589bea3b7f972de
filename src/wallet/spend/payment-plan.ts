// Drafts one payment: first with single coins, then with all coins of an address grouped. The second draft is used if
// it costs at most -maxapsfee more. Core 0.21: the two attempts of CWallet::CreateTransaction.
import { equalBytes, hashToHex } from '../../consensus/bytes/hex.js';
import { dustThreshold } from '../../policy/dust.js';
import { feeForSize } from '../../policy/fee-rate.js';
import type { NodeRates } from '../node-client.js';
import type { Wallet } from '../wallet.js';
import { addressNumbers } from './available-coins.js';
import { changeTemplate, changeTypeFor } from './change-script.js';
import type { CoinControl } from './coin-control.js';
import { discardFeeRate, FEE_REASON, type FeeSetting, longTermFeeRate, type RateWithReason } from './fee-rates.js';
import { logOf, type PaymentError, type PaymentRequest, type SpendTools } from './payment.js';
import { type PaymentCoins, sizeOf } from './payment-coins.js';
import { chooseCoins, type TierTerms } from './select/choose-coins.js';
import { type Draft, type DraftTerms, type DraftTools, draftPayment } from './select/draft.js';
import { draftByWaste } from './select/draft-by-waste.js';
import { addressGroups, type CoinColumns, type Groups, singleGroups } from './select/groups.js';
import { spendFee } from './select/least-waste.js';
import { randomOrder } from './select/order.js';
import { inputVirtualSize, outputBytes } from './select/tx-size.js';
import { SignedSizes } from './signed-size.js';

/** Returns a text like `1.000 sat/vB`. @param feeRate satoshis per 1,000 virtual bytes */
const rateInSatsPerByte = (feeRate: number): string => `${Math.floor(feeRate / 1000)}.${String(feeRate % 1000).padStart(3, '0')} sat/vB`;

export const NO_RATE = 'Fee estimation failed. Fallbackfee is disabled. Wait a few blocks or enable -fallbackfee.';
/** Weights of the smallest and of the largest standard transaction. */
const MIN_WEIGHT = 260;
export const MAX_STANDARD_WEIGHT = 400_000;
/** Virtual size of spending change with an unknown script: nested P2WPKH. */
const UNKNOWN_CHANGE_SPEND = 91;

export class PaymentPlan {
  /** Script of the change output, or a dummy of the same size until the change address is chosen. */
  readonly changeScript: Uint8Array;
  readonly #changeSpendBytes: number;
  readonly #discardRate: number;
  readonly #longTermRate: number;
  readonly #wallet: Wallet;
  readonly #request: PaymentRequest;
  readonly #setting: PlanSetting;
  readonly #rates: NodeRates;
  readonly #rate: RateWithReason;

  static async of(wallet: Wallet, request: PaymentRequest, setting: PlanSetting, rate: RateWithReason): Promise<PaymentPlan> {
    const known = { rates: await setting.client.rates(), discard: await discardFeeRate(setting), longTerm: await longTermFeeRate(setting) };
    return new PaymentPlan(wallet, request, setting, rate, known);
  }

  private constructor(
    wallet: Wallet,
    request: PaymentRequest,
    setting: PlanSetting,
    rate: RateWithReason,
    { rates, discard, longTerm }: { readonly rates: NodeRates; readonly discard: number; readonly longTerm: number },
  ) {
    this.#wallet = wallet;
    this.#request = request;
    this.#setting = setting;
    this.#rate = rate;
    const { control, recipients } = request;
    const template = changeTemplate(changeTypeFor(wallet, control, recipients, setting.options.rules));
    this.#changeSpendBytes = template.spendBytes;
    if (control.changeScript) {
      const size = new SignedSizes(wallet, { allowWatchOnly: false, solving: null }, setting).of(control.changeScript);
      this.#changeSpendBytes = size === null ? UNKNOWN_CHANGE_SPEND : inputVirtualSize(size);
    }
    this.changeScript = control.changeScript ?? template.script;
    this.#rates = rates;
    this.#discardRate = discard;
    this.#longTermRate = longTerm;
  }

  /** Returns an error if no choice of coins can make the payment possible; otherwise null. */
  refusal(): PaymentError | null {
    const { recipients, control } = this.#request;
    const { options } = this.#setting;
    const { leastWaste } = options.rules;
    const { feeRate, reason } = this.#rate;
    if (leastWaste) {
      if (recipients.length === 0) return { error: 'Transaction must have at least one recipient' };
      if (recipients.some(({ amount }) => amount < 0)) return { error: 'Transaction amounts must not be negative' };
      if (control.maxWeight !== null && (control.maxWeight < MIN_WEIGHT || control.maxWeight > MAX_STANDARD_WEIGHT)) {
        return { error: `Maximum transaction weight must be between ${MIN_WEIGHT} and ${MAX_STANDARD_WEIGHT}` };
      }
      const { dust } = this.#rates;
      if (recipients.some(({ script, amount }) => amount < dustThreshold(script, dust, true)))
        return { error: 'Transaction amount too small' };
    }
    const payable = recipients.length > 0 && recipients.every(({ amount }) => amount >= 0);
    if (payable && control.feeRate !== null && feeRate > control.feeRate)
      return { error: rateTooLow(control.feeRate, this.#rate, this.#setting.options, this.#rates) };
    if (leastWaste && reason === FEE_REASON.FALLBACK && options.fallbackFeeRate === 0) return { error: NO_RATE };
    return null;
  }

  async draft(pool: PaymentCoins): Promise<Draft | PaymentError> {
    const { control } = this.#request;
    const { maxGroupingFeeSats, rules } = this.#setting.options;
    const fault = rules.leastWaste ? presetFault(this.#wallet, control, pool) : null;
    if (fault !== null) return fault;
    if (control.avoidPartialSpends) return this.#draft(pool, this.#addressGroups(pool) ?? singleGroups(pool.columns));
    const single = await this.#draft(pool, singleGroups(pool.columns));
    if ('error' in single || single.fee === 0 || maxGroupingFeeSats < 0) return single;
    const groups = this.#addressGroups(pool);
    if (groups === null) return single;
    const grouped = await this.#draft(pool, groups);
    if ('error' in grouped) return single;
    const together = grouped.fee <= single.fee + maxGroupingFeeSats;
    const choice = together ? 'grouped' : 'non-grouped';
    logOf(this.#wallet, this.#setting, `Fee non-grouped = ${single.fee}, grouped = ${grouped.fee}, using ${choice}`);
    return together ? grouped : single;
  }

  #addressGroups(pool: PaymentCoins): Groups | null {
    const { client, chance, options } = this.#setting;
    const numbers = addressNumbers(this.#wallet, pool.rows, options.rules.leastWaste);
    // Random, because a fixed order of an address's coins would reveal something about the wallet.
    const order = randomOrder(numbers.length, chance);
    return addressGroups(pool.columns, numbers, order, {
      maxMembers: options.rules.maxGroupCoins,
      maxAncestors: client.constants.maxAncestors,
    });
  }

  #draft(pool: PaymentCoins, groups: Groups): Draft | PaymentError | Promise<Draft | PaymentError> {
    const { client, options } = this.#setting;
    const { feeRate, reason } = this.#rate;
    const terms = {
      recipients: this.#request.recipients,
      changePosition: this.#request.changePosition,
      changeScript: this.changeScript,
      coins: pool.columns,
      feeRate,
      feeUnknown: reason === FEE_REASON.FALLBACK && options.fallbackFeeRate === 0,
      discardRate: this.#discardRate,
      dustRate: this.#rates.dust,
      longTermFeeRate: this.#longTermRate,
      maxAncestors: client.constants.maxAncestors,
      maxDescendants: client.constants.maxDescendants,
      spendZeroConfChange: this.#wallet.parts.options.spendZeroConfChange,
      rejectLongChains: options.rejectLongChains,
      includeUnsafe: this.#request.control.includeUnsafe,
    };
    return options.rules.leastWaste ? this.#draftByWaste(terms, pool, groups) : this.#draftInSteps(terms, pool, groups);
  }

  #draftByWaste(terms: CommonTerms, pool: PaymentCoins, groups: Groups): Promise<Draft | PaymentError> {
    const { client, chance } = this.#setting;
    const { control } = this.#request;
    const { coins } = this.#wallet.ledger;
    return draftByWaste(
      {
        ...terms,
        mixed: groups,
        positive: this.#positive(pool, groups),
        changeSpendBytes: this.#changeSpendBytes,
        maxWeight: control.maxWeight ?? MAX_STANDARD_WEIGHT,
        version: control.version,
        addInputs: control.addInputs,
        presets: pool.presets.map(({ value, size, bumpFee }) => ({ value, bytes: inputVirtualSize(size), bumpFee })),
      },
      {
        chance,
        inputSize: (coin) => sizeOf(pool, coin),
        combinedBump: async (some) => {
          const outpoints = some.map((coin) => coins.outpoint(pool.rows[coin]));
          return (await client.bumpFees(outpoints, terms.feeRate))?.together ?? null;
        },
        log: (line) => logOf(this.#wallet, this.#setting, line),
      },
    );
  }

  /** Returns groups of only those coins whose value exceeds their fee. */
  #positive(pool: PaymentCoins, groups: Groups): Groups {
    const { columns } = pool;
    if (groups.count === columns.count) return groups;
    const { client, chance, options } = this.#setting;
    const numbers = addressNumbers(this.#wallet, pool.rows, true);
    const order = randomOrder(numbers.length, chance);
    const worthwhile = order.filter((coin) => columns.values[coin] > spendFee(columns, coin, this.#rate.feeRate));
    const limits = { maxMembers: options.rules.maxGroupCoins, maxAncestors: client.constants.maxAncestors };
    return addressGroups(columns, numbers, worthwhile, limits) ?? singleGroups(columns);
  }

  #draftInSteps(terms: CommonTerms, pool: PaymentCoins, groups: Groups): Draft | PaymentError {
    const { chance } = this.#setting;
    const { feeRate, recipients } = terms;
    const presetIndices = pool.presets.map((_, i) => pool.rows.length + i);
    const presetValue = pool.presets.reduce((sum, { value }) => sum + value, 0);
    const presetFees = pool.presets.reduce((sum, { size }) => sum + feeForSize(feeRate, inputVirtualSize(size)), 0);
    const choiceTerms = {
      ...terms,
      groups,
      presets: { value: presetValue, effective: presetValue - presetFees },
      costOfChange: feeForSize(this.#discardRate, this.#changeSpendBytes) + feeForSize(feeRate, outputBytes(this.changeScript)),
      recipientsPay: recipients.some(({ subtractFee }) => subtractFee),
    };
    const tools: DraftTools = {
      chance,
      inputSize: (coin) => sizeOf(pool, coin),
      choose: (target, exact, fixedBytes) => {
        if (pool.fault !== null) return { coins: null, value: 0, exact: false };
        const choice = chooseCoins(choiceTerms, target, exact, fixedBytes, chance);
        return choice.coins === null ? choice : { ...choice, coins: [...choice.coins, ...presetIndices] };
      },
    };
    return draftPayment(terms, tools);
  }
}

/** Fee settings and dependencies that a payment plan needs. */
type PlanSetting = FeeSetting & SpendTools;

/** Terms that draftPayment and draftByWaste both need. */
type CommonTerms = DraftTerms & TierTerms & { readonly coins: CoinColumns; readonly longTermFeeRate: number };

/** Returns why required coins cannot be spent; null if they can. */
function presetFault(wallet: Wallet, { inputs, version }: CoinControl, { fault }: PaymentCoins): PaymentError | null {
  const { coins, txs } = wallet.ledger;
  for (const outpoint of inputs) {
    const coin = coins.find(outpoint);
    if (coin >= 0 && wallet.ledger.depth(coins.txRow(coin)) === 0) {
      const error = versionMismatch(txs.view(coins.txRow(coin))?.version, version);
      if (error !== null) return { error };
    }
    if (fault !== null && equalBytes(fault.outpoint, outpoint)) {
      const name = `COutPoint(${hashToHex(outpoint.subarray(0, 32)).slice(0, 10)}, ${new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true)})`;
      return { error: fault.what === 'unknown' ? `Not found pre-selected input ${name}` : `Not solvable pre-selected input ${name}` };
    }
  }
  return null;
}

/**
 * Returns why a payment of a given version may not spend the coins of an unconfirmed transaction (BIP-0431); null if it
 * may.
 */
export const versionMismatch = (parent: number | undefined, version: number): string | null =>
  parent === undefined || (parent === 3) === (version === 3)
    ? null
    : `Can't spend unconfirmed version ${parent} pre-selected input with a version ${version} tx`;

/** Returns the error for a rate below the minimum of the wallet or the node. */
export function rateTooLow(
  asked: number,
  { feeRate, reason }: RateWithReason,
  options: SpendTools['options'],
  { relayMinimum }: NodeRates,
): string {
  const [wanted, least] = [asked, feeRate].map(rateInSatsPerByte);
  const text = `Fee rate (${wanted}) is lower than the minimum fee rate setting (${least})`;
  if (!options.rules.leastWaste) return text;
  const [own, relay] = [options.minFeeRate, relayMinimum].map(rateInSatsPerByte);
  const advice = reason === FEE_REASON.REQUIRED ? `\nConsider modifying -mintxfee (${own}) or -minrelaytxfee (${relay}).` : '';
  return `${text}.${advice}`;
}
