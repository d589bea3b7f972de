// The drafts of one payment: coin by coin, and with the coins of an address together where that costs no more than the
// operator allows (-maxapsfee). Core 0.21: CWallet::CreateTransaction's two attempts.
import { feeForSize } from '../../policy/fee-rate.js';
import type { Wallet } from '../wallet.js';
import { addressNumbers } from './available-coins.js';
import { changeTemplate, changeTypeFor } from './change-script.js';
import { type CoinPool, sizeOf } from './coin-pool.js';
import { discardFeeRate, type FeeSetting, longTermFeeRate } from './fee-rates.js';
import type { SpendOptions } from './options.js';
import type { PaymentRequest } from './payment.js';
import { logOf } from './payment.js';
import { chooseCoins } from './select/choose-coins.js';
import { type Draft, type DraftTools, draftPayment } from './select/draft.js';
import { addressGroups, type Groups, singleGroups } from './select/groups.js';
import { randomOrder } from './select/order.js';
import type { Pace } from './select/pace.js';
import { inputVirtualSize, outputBytes } from './select/tx-size.js';
import { SignedSizes } from './signed-size.js';
import type { SpendNode } from './spend-node.js';

/** How a change output is spent when nobody knows: nested P2WPKH, virtual bytes. */
const UNKNOWN_CHANGE_SPEND = 91;

export class PaymentPlan {
  /** The change output's script, or one of its size. */
  readonly changeScript: Uint8Array;
  readonly #costOfChange: number;
  readonly #discardRate: number;
  readonly #longTermRate: number;
  readonly #wallet: Wallet;
  readonly #request: PaymentRequest;
  readonly #setting: FeeSetting & { readonly node: SpendNode; readonly options: SpendOptions };
  readonly #rate: { readonly feeRate: number; readonly feeUnknown: boolean };

  constructor(
    wallet: Wallet,
    request: PaymentRequest,
    setting: FeeSetting & { readonly node: SpendNode; readonly options: SpendOptions },
    rate: { readonly feeRate: number; readonly feeUnknown: boolean },
  ) {
    this.#wallet = wallet;
    this.#request = request;
    this.#setting = setting;
    this.#rate = rate;
    const { control, recipients } = request;
    const template = changeTemplate(changeTypeFor(wallet, control, recipients));
    let { spendBytes } = template;
    if (control.changeScript) {
      const size = new SignedSizes(wallet, false).of(control.changeScript);
      spendBytes = size === null ? UNKNOWN_CHANGE_SPEND : inputVirtualSize(size);
    }
    this.changeScript = control.changeScript ?? template.script;
    this.#discardRate = discardFeeRate(setting);
    this.#longTermRate = longTermFeeRate(setting);
    this.#costOfChange = feeForSize(this.#discardRate, spendBytes) + feeForSize(rate.feeRate, outputBytes(this.changeScript));
  }

  async draft(pool: CoinPool, pace: Pace): Promise<Draft | { error: string }> {
    const { control } = this.#request;
    const { maxGroupingFeeSats } = this.#setting.options;
    if (control.avoidPartialSpends) return this.#draft(pool, (await this.#addressGroups(pool, pace)) ?? singleGroups(pool.columns), pace);
    const single = await this.#draft(pool, singleGroups(pool.columns), pace);
    if ('error' in single || single.fee === 0 || maxGroupingFeeSats < 0) return single;
    const groups = await this.#addressGroups(pool, pace);
    if (groups === null) return single;
    const grouped = await this.#draft(pool, groups, pace);
    if ('error' in grouped) return single;
    const together = grouped.fee <= single.fee + maxGroupingFeeSats;
    const choice = together ? 'grouped' : 'non-grouped';
    logOf(this.#wallet, this.#setting, `Fee non-grouped = ${single.fee}, grouped = ${grouped.fee}, using ${choice}`);
    return together ? grouped : single;
  }

  async #addressGroups(pool: CoinPool, pace: Pace): Promise<Groups | null> {
    const { node } = this.#setting;
    const numbers = await addressNumbers(this.#wallet, pool.rows, pace);
    // Which ten of an address go together is left to chance: an order would tell.
    const order = await randomOrder(numbers.length, node.chance, pace);
    return addressGroups(pool.columns, numbers, order, node.maxAncestors, pace);
  }

  #draft(pool: CoinPool, groups: Groups, pace: Pace): Promise<Draft | { error: string }> {
    const request = this.#request;
    const setting = this.#setting;
    const rate = this.#rate;
    const { node, options } = setting;
    const { coins } = this.#wallet.ledger;
    const presetIndices = pool.presets.map((_, i) => pool.rows.length + i);
    const presetValue = pool.presets.reduce((sum, { row }) => sum + coins.value(row), 0);
    const presetFees = pool.presets.reduce((sum, { size }) => sum + feeForSize(rate.feeRate, inputVirtualSize(size)), 0);
    const terms = {
      coins: pool.columns,
      groups,
      presets: { value: presetValue, effective: presetValue - presetFees },
      feeRate: rate.feeRate,
      longTermFeeRate: this.#longTermRate,
      costOfChange: this.#costOfChange,
      recipientsPay: request.recipients.some(({ subtractFee }) => subtractFee),
      maxAncestors: node.maxAncestors,
      maxDescendants: node.maxDescendants,
      spendZeroConfChange: this.#wallet.parts.options.spendZeroConfChange,
      rejectLongChains: options.rejectLongChains,
    };
    const tools: DraftTools = {
      chance: node.chance,
      inputSize: (coin) => sizeOf(pool, coin),
      choose: async (target, exact, fixedBytes) => {
        if (!pool.presetsKnown) return { coins: null, value: 0, exact: false };
        const choice = await chooseCoins(terms, target, exact, fixedBytes, node.chance, pace);
        return choice.coins === null ? choice : { ...choice, coins: [...choice.coins, ...presetIndices] };
      },
    };
    return draftPayment(
      {
        recipients: request.recipients,
        feeRate: rate.feeRate,
        feeUnknown: rate.feeUnknown,
        discardRate: this.#discardRate,
        dustRate: node.rates().dust,
        changeScript: this.changeScript,
        changePosition: request.changePosition,
      },
      tools,
    );
  }
}
