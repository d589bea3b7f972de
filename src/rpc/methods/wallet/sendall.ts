// Spends all coins of a wallet, or those that the caller lists, to one or more addresses. Core 31:
// wallet/rpc/spend.cpp.

import { hashKey } from '../../../consensus/bytes/hex.js';
import { buildTx, type TxFields, type TxInputFields } from '../../../consensus/tx/build-tx.js';
import { ADDED, shows } from '../../../policy/compat.js';
import { dustThreshold } from '../../../policy/dust.js';
import { feeForSize } from '../../../policy/fee-rate.js';
import {
  availableCoins,
  type CoinControl,
  chainLimitFault,
  FEE_REASON,
  type InputSize,
  inPaymentQueue,
  inputVirtualSize,
  minimumFeeRate,
  NO_RATE,
  OWNERSHIP,
  outpointOf,
  rateTooLow,
  SignedSizes,
  type SpendTools,
  transactionWeight,
  versionMismatch,
  type Wallet,
} from '../../../wallet/index.js';
import { asBool, asInt, asString } from '../../args.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { INPUTS_INNER, SOLVING_DATA_ARG } from '../../declare/fund-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, keyed, num, obj, str } from '../../declare/parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG } from '../../declare/spend-parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { asTxVersion } from '../../front/createrawtransaction.js';
import { hashHex } from '../../render/hex.js';
import { settledWallet, walletOf } from '../../wallet/select.js';
import { controlFor, setFeeRate, toolsOf } from '../../wallet/spend-args.js';
import { readDepths } from '../../wallet/spend-options.js';
import {
  finishSend,
  notForThePast,
  SEQUENCE_LOCKABLE,
  SEQUENCE_REPLACEABLE,
  sendOptions,
  sendOutcome,
  startedTx,
} from '../../wallet/spend-psbt.js';
import { JsonNumber, JsonObject, type JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'sendall',
  since: 24,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description:
    'Spends all confirmed coins and all unconfirmed change of the wallet, without a change output. Locked coins are\nnot spent.\nWith send_max, coins that are worth less than spending them costs are not spent either.',
  args: [
    arr(
      'recipients',
      'Addresses, each once. Addresses without an amount share the rest after the other amounts and the fee. At least one must have no amount',
      [str('address', 'An address without an amount'), keyed({ optional: true }, [amount('address', 'An address and its amount')])],
    ),
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    FEE_RATE_ARG,
    obj('options?', '', { namedMembers: true, oneline: 'options' }, [
      bool('add_to_wallet', 'Whether to record and send the transaction. If false, it is only created', { default: 'true' }),
      FEE_RATE_ARG,
      bool('include_watching', 'Not used any more', { default: 'false' }),
      arr('inputs', 'Spend exactly these coins', { default: 'empty array' }, INPUTS_INNER),
      num('locktime', 'The lock time. If it is not 0, all inputs activate it', { default: "the tip's height" }),
      bool('lock_unspents', 'Whether to lock the coins', { default: 'false' }),
      bool('psbt', 'Always return a PSBT and send nothing', { default: 'automatic' }),
      bool('send_max', 'Whether to leave coins that are worth less than spending them costs', { default: 'false' }),
      num('minconf', 'Minimum number of confirmations of a coin', { default: '0' }),
      num('maxconf?', 'Maximum number of confirmations'),
      num('version', 'Version of the transaction', { default: '2' }),
      CONF_TARGET_ARG,
      ESTIMATE_MODE_ARG,
      REPLACEABLE_ARG,
      { ...SOLVING_DATA_ARG, help: 'Accepted without effect, because all coins belong to the wallet' },
    ]),
  ],
  results: [
    obj([
      str('psbt?', 'The PSBT in Base64, if signatures are missing or if it was requested'),
      hex('txid?', 'The transaction id, if it is completely signed'),
      hex('hex?', 'The transaction as hex, if it was not sent'),
      bool('complete', 'Whether the transaction is completely signed'),
    ]),
  ],
  examples: [{ cli: '\'["bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"]\' null "unset" 1.1' }],
  waits: true,
});

const invalid = (text: string): never => fail(RPC_CODE.INVALID_PARAMETER, text);

const short = (text: string): never => fail(RPC_CODE.WALLET_INSUFFICIENT_FUNDS, text);

const MAX_STANDARD_WEIGHT = 400_000;

/**
 * Transaction version of TRUC. MAX_WEIGHT_3 limits such transactions, MAX_CHILD_WEIGHT_3 those that spend an
 * unconfirmed output.
 */
const VERSION_3 = 3;

const MAX_WEIGHT_3 = 40_000;

const MAX_CHILD_WEIGHT_3 = 4_000;

/** A coin to spend, and the size of its input; null if unknown. */
interface Spent {
  readonly input: TxInputFields;
  readonly value: number;
  readonly size: InputSize | null;
  readonly depth: number;
}

/** Parses recipients to outputs with amounts. Recipients without an amount get 0 and are also in `open`. */
function readRecipients(recipients: readonly JsonValue[]): { outputs: JsonValue[]; open: Set<string> } {
  const open = new Set<string>();
  const outputs = recipients.map((recipient) => {
    if (typeof recipient !== 'string') return recipient;
    open.add(recipient);
    return new JsonObject([recipient], [new JsonNumber('0')]);
  });
  return { outputs, open };
}

/** Requested properties of the transaction, other than its coins. */
interface Wanted {
  readonly sendMax: boolean;
  readonly replaceable: boolean;
  readonly feeRate: number;
}

export const sendall: WalletRun<typeof spec> = async (params, ctx, call) => {
  walletOf(ctx, call);
  const options = sendOptions(params, ctx);
  const outcome = sendOutcome(options);
  const { outputs, open } = readRecipients(params.recipients);
  if (open.size === 0) invalid('Must provide at least one address without a specified amount');
  const tools = toolsOf(ctx);
  const control = controlFor(ctx);
  const rateArgs = { confTarget: options.get('conf_target'), estimateMode: options.get('estimate_mode'), feeRate: options.get('fee_rate') };
  setFeeRate(ctx, control, rateArgs, false);
  const least = options.has('minconf') ? asInt(options.get('minconf')) : 0;
  readDepths(options, control, { negative: `Invalid minconf (minconf cannot be negative): ${least}` });
  control.version = asTxVersion(options.get('version'));
  const replaceable = options.has('replaceable') ? asBool(options.get('replaceable')) : tools.options.replaceable;
  const wallet = await settledWallet(ctx, call);
  control.allowWatchOnly = wallet.record.privateKeysDisabled;
  const feeRate = await rateFor(ctx, wallet, control);
  const listed = options.get('inputs');
  const parts = { inputs: listed ?? null, outputs, locktime: options.get('locktime') ?? null };
  const started = startedTx(ctx, parts, replaceable, control.version);
  if (listed !== undefined && options.has('send_max')) invalid('Cannot combine send_max with specific inputs.');
  if (listed !== undefined && (options.has('minconf') || options.has('maxconf'))) {
    invalid('Cannot combine minconf or maxconf with specific inputs.');
  }
  const wanted = { sendMax: options.has('send_max') && asBool(options.get('send_max')), replaceable, feeRate };
  const names = new Set(started.inputs.map(({ prevHash, prevIndex }) => hashKey(outpointOf(prevHash, prevIndex))));
  if (names.size < started.inputs.length) invalid('Invalid parameter, an input is named twice');
  return inPaymentQueue(wallet, async () => {
    const sizes = new SignedSizes(wallet, control, tools);
    const spent =
      listed === undefined
        ? await allCoins(wallet, control, sizes, wanted, tools)
        : started.inputs.map((input) => namedCoin(wallet, input, sizes, control.version));
    const begun = { ...started, inputs: spent.map(({ input }) => input) };
    const tx = await divided(tools, begun, spent, wanted, { outputs, open, isOpen: listed === undefined });
    // Core has no such check: it records the payment although the mempool rejects it, so that all coins become
    // unavailable.
    const fault = shows(ctx.compat, { since: ADDED }) ? await chainLimitFault(buildTx(tx), tools) : null;
    if (fault !== null) fail(RPC_CODE.WALLET_ERROR, fault.error);
    const chosen = spent.map(({ input }) => outpointOf(input.prevHash, input.prevIndex));
    if (options.has('lock_unspents') && asBool(options.get('lock_unspents'))) {
      for (const outpoint of chosen) wallet.ledger.lockCoin(outpoint, null);
    }
    const sent = options.has('locktime') ? tx : await notForThePast(wallet, tx, tools);
    return finishSend(ctx, wallet, { tx: sent, chosen }, outcome);
  });
};

async function rateFor(ctx: WalletContext, wallet: Wallet, control: ReturnType<typeof controlFor>): Promise<number> {
  const tools = toolsOf(ctx);
  const setting = { ...tools, payFeeRate: wallet.session.payFeeRate };
  const rate = await minimumFeeRate(setting, control);
  if (control.feeRate !== null && rate.feeRate > control.feeRate) {
    invalid(rateTooLow(control.feeRate, rate, tools.options, await tools.client.rates()));
  }
  if (rate.reason === FEE_REASON.FALLBACK && rate.feeRate === 0) fail(RPC_CODE.WALLET_ERROR, NO_RATE);
  return rate.feeRate;
}

/** Returns a coin that the caller lists. */
function namedCoin(wallet: Wallet, input: TxInputFields, sizes: SignedSizes, version: number): Spent {
  const { ledger } = wallet;
  const outpoint = outpointOf(input.prevHash, input.prevIndex);
  const name = `UTXO (${hashHex(input.prevHash)}:${input.prevIndex})`;
  if (ledger.isSpent(outpoint)) invalid(`Input not available. ${name} was already spent.`);
  const coin = ledger.coins.find(outpoint);
  if (coin < 0 || ledger.coins.ownership(coin) === OWNERSHIP.NO) return invalid(`Input not found. ${name} is not part of wallet.`);
  const row = ledger.coins.txRow(coin);
  const depth = ledger.depth(row);
  const mismatch = depth === 0 ? versionMismatch(ledger.txs.view(row)?.version, version) : null;
  if (mismatch !== null) invalid(mismatch);
  return { input, value: ledger.coins.value(coin), size: sizes.of(ledger.coins.script(coin)), depth };
}

/** Returns all spendable coins. */
async function allCoins(
  wallet: Wallet,
  control: CoinControl,
  sizes: SignedSizes,
  { sendMax, replaceable, feeRate }: Wanted,
  tools: SpendTools,
): Promise<Spent[]> {
  const { coins, txs } = wallet.ledger;
  const found = await availableCoins(wallet, control, sizes, tools, null);
  const sequence = replaceable ? SEQUENCE_REPLACEABLE : SEQUENCE_LOCKABLE;
  return found.rows.flatMap((row, i) => {
    const size = found.sizes[i];
    const value = coins.value(row);
    if (sendMax && size !== null && feeForSize(feeRate, inputVirtualSize(size), true) > value) return [];
    const input = { prevHash: txs.txid(coins.txRow(row)), prevIndex: coins.vout(row), scriptSig: new Uint8Array(0), sequence };
    return [{ input, value, size, depth: found.columns.depths[i] }];
  });
}

/** Returns the transaction with its amounts: the outputs without an amount share what remains after the fee. */
async function divided(
  { options, client }: SpendTools,
  tx: TxFields,
  spent: readonly Spent[],
  { feeRate, sendMax }: Wanted,
  { outputs, open, isOpen }: { readonly outputs: readonly JsonValue[]; readonly open: ReadonlySet<string>; readonly isOpen: boolean },
): Promise<TxFields> {
  const inputs = spent.flatMap(({ size }) => (size === null ? [] : [size]));
  if (inputs.length < spent.length) {
    fail(RPC_CODE.WALLET_ERROR, 'Unable to determine the size of the transaction, the wallet contains unsolvable descriptors');
  }
  const weight = transactionWeight(
    inputs,
    tx.outputs.map(({ script }) => script),
  );
  const fee = feeForSize(feeRate, Math.ceil(weight / 4), true);
  if (fee > options.maxFeeSats) {
    fail(RPC_CODE.WALLET_ERROR, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)');
  }
  const total = spent.reduce((sum, { value }) => sum + value, 0);
  const outpoints = spent.map(({ input }) => outpointOf(input.prevHash, input.prevIndex));
  const left = total - fee - ((await client.bumpFees(outpoints, feeRate))?.together ?? 0);
  if (left <= 0) {
    const tooLow = 'Total value of UTXO pool too low to pay for transaction';
    if (sendMax) short(`${tooLow}, try using lower feerate.`);
    short(`${tooLow}. Try using lower feerate or excluding uneconomic UTXOs with 'send_max' option.`);
  }
  const isChild = isOpen && spent.some(({ depth }) => depth === 0);
  const most = tx.version !== VERSION_3 ? MAX_STANDARD_WEIGHT : isChild ? MAX_CHILD_WEIGHT_3 : MAX_WEIGHT_3;
  if (weight > most) fail(RPC_CODE.WALLET_ERROR, 'Transaction too large.');
  const claimed = tx.outputs.reduce((sum, { value }) => sum + Number(value), 0);
  if (claimed > total) short('Assigned more value to outputs than available funds.');
  const rest = left - claimed;
  if (rest < 0) short('Insufficient funds for fees after creating specified outputs.');
  const share = Math.floor(rest / open.size);
  let first = rest % open.size;
  const { dust } = await client.rates();
  const names = outputs.map((output) => (output instanceof JsonObject ? output.keys[0] : asString(output)));
  return {
    ...tx,
    outputs: tx.outputs.map(({ value, script }, i) => {
      const isShare = open.has(names[i]);
      const amount = isShare ? share + first : Number(value);
      if (isShare) first = 0;
      if (amount < dustThreshold(script, dust, true)) {
        if (isShare) short('Dynamically assigned remainder results in dust output.');
        invalid(`Specified output amount to ${names[i]} is below dust threshold.`);
      }
      return { value: amount, script };
    }),
  };
}
