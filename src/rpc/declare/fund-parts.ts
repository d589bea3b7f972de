// Parts of declarations of methods that fund a transaction: the options that they share.
import { ADDRESS_TYPES_HELP } from './address-parts.js';
import { amount, arr, bool, hex, keyed, num, obj, str } from './parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG } from './spend-parts.js';
import type { ResultSpec } from './types.js';

/** Argument: type of the change address. */
export const CHANGE_TYPE_ARG = str('change_type', `The type of the change address: ${ADDRESS_TYPES_HELP}`, {
  default: 'set by -changetype',
});

/** Argument: keys and scripts of outputs that the wallet does not know. */
export const SOLVING_DATA_ARG = obj('solving_data?', 'Keys and scripts of external inputs, to estimate their size', { since: 23 }, [
  arr('pubkeys', 'Keys', { default: 'empty array' }, [hex('pubkey?', 'A public key')]),
  arr('scripts', 'Scripts', { default: 'empty array' }, [hex('script?', 'A redeem or witness script')]),
  arr('descriptors', 'Descriptors', { default: 'empty array' }, [str('descriptor?', 'A descriptor with its checksum')]),
]);

/** Options that releases after 0.21 added to every method that funds a transaction. */
export const LATER_FUND_OPTIONS = [
  bool(
    'include_unsafe',
    'Whether to spend unsafe coins: unconfirmed coins from others and from replacements. The transaction may become invalid',
    {
      since: 22,
      default: 'false',
    },
  ),
  num('minconf', 'Minimum number of confirmations of added coins', { since: 24, default: '0' }),
  num('maxconf?', 'Maximum number of confirmations', { since: 24 }),
  num('max_tx_weight', 'Maximum weight of the transaction', { since: 29, default: '400000' }),
  SOLVING_DATA_ARG,
] as const;

const WEIGHT_ARG = num('weight', 'Maximum weight of the input: outpoint, sequence, scriptSig and witness, with signatures of maximum size');

/** Argument: weights of inputs, for methods that do not take them with the inputs. */
export const INPUT_WEIGHTS_ARG = arr('input_weights?', 'Inputs and their weights', { since: 24 }, [
  obj({ optional: true }, [hex('txid', 'The transaction id'), num('vout', 'The output number'), WEIGHT_ARG]),
]);

/**
 * Returns the options that fundrawtransaction and walletcreatefundedpsbt share.
 * @param addInputs default of add_inputs
 */
export const fundOptions = <const D extends string>(addInputs: D) =>
  [
    bool('add_inputs', 'Whether to add coins to the given inputs if necessary', { default: addInputs }),
    str('changeAddress', 'Address for the change', { default: 'pool address' }),
    num('changePosition', 'Position of the change output', { default: 'random' }),
    CHANGE_TYPE_ARG,
    bool('includeWatching', 'Whether to spend watch-only coins too, if the wallet can solve their scripts', {
      default: 'true for watch-only wallets, otherwise false',
    }),
    bool('lockUnspents', 'Whether to lock the chosen coins, as lockunspent does', { default: 'false' }),
    FEE_RATE_ARG,
    amount('feeRate', 'The fee rate, in BTC/kvB', { default: 'not set, fall back to wallet fee estimation' }),
    arr(
      'subtractFeeFromOutputs',
      'Positions of the outputs from which the fee is subtracted, in equal shares',
      { default: 'empty array' },
      [num('vout_index?', 'Position of an output, before a change output is added')],
    ),
    REPLACEABLE_ARG,
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    ...LATER_FUND_OPTIONS,
  ] as const;

/** Members: fee and position of the change output. */
export const FUNDED_MEMBERS: readonly ResultSpec[] = [
  amount('fee', 'The fee in BTC'),
  num('changepos', 'Position of the change output, -1 if there is none'),
];

/** Elements of an inputs argument. */
export const INPUTS_INNER = [
  obj({ optional: true }, [
    hex('txid', 'The transaction id'),
    num('vout', 'The output number'),
    num('sequence', 'The sequence number', { default: 'depends on locktime and replaceable' }),
    { ...WEIGHT_ARG, since: 24, optional: true },
  ]),
] as const;

/** Elements of an outputs argument: addresses with amounts, or data. */
export const OUTPUTS_INNER = [
  keyed({ optional: true }, [amount('address', 'The address as the name, the amount in BTC as the value')]),
  obj({ optional: true }, [hex('data', 'Data for an OP_RETURN output')]),
] as const;
