// Parts of the calls that fund a transaction: the options they share.
import { ADDRESS_TYPES_HELP } from './address-parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG } from './spend-parts.js';
import type { ArgSpec, ResultSpec } from './types.js';

/** What kind of address change goes to. */
export const CHANGE_TYPE_ARG: ArgSpec = {
  name: 'change_type',
  type: 'str',
  default: 'set by -changetype',
  help: `Kind of the change address: ${ADDRESS_TYPES_HELP}`,
};

/** Options of every call that funds a transaction, that came after 0.21. */
export const LATER_FUND_OPTIONS: readonly ArgSpec[] = [
  {
    name: 'include_unsafe',
    type: 'bool',
    since: 22,
    default: 'false',
    help: 'Spend unconfirmed coins of others and of replacements too; what pays with them may become invalid',
  },
  { name: 'minconf', type: 'num', since: 24, default: '0', help: 'Confirmations that an added coin needs' },
  { name: 'maxconf', type: 'num', since: 24, optional: true, help: 'Confirmations that it may have' },
  { name: 'max_tx_weight', type: 'num', since: 29, default: '400000', help: 'The most that the transaction may weigh' },
  {
    name: 'solving_data',
    type: 'obj',
    since: 23,
    optional: true,
    help: "What is known of outputs that are not the wallet's, for the size of their inputs",
    inner: [
      {
        name: 'pubkeys',
        type: 'arr',
        default: 'empty array',
        help: 'Keys',
        inner: [{ name: 'pubkey', type: 'hex', optional: true, help: 'A public key' }],
      },
      {
        name: 'scripts',
        type: 'arr',
        default: 'empty array',
        help: 'Scripts',
        inner: [{ name: 'script', type: 'hex', optional: true, help: 'A redeem or witness script' }],
      },
      {
        name: 'descriptors',
        type: 'arr',
        default: 'empty array',
        help: 'Descriptors',
        inner: [{ name: 'descriptor', type: 'str', optional: true, help: 'A descriptor with its checksum' }],
      },
    ],
  },
];

const WEIGHT_ARG: ArgSpec = {
  name: 'weight',
  type: 'num',
  help: 'The most that the input weighs: outpoint, sequence, scriptSig and witness, signatures at their largest',
};

/** Weights of inputs, where a call does not take them with the inputs. */
export const INPUT_WEIGHTS_ARG: ArgSpec = {
  name: 'input_weights',
  type: 'arr',
  since: 24,
  optional: true,
  help: 'Inputs and what they weigh',
  inner: [
    {
      name: '',
      type: 'obj',
      optional: true,
      help: '',
      inner: [
        { name: 'txid', type: 'hex', help: 'The transaction id' },
        { name: 'vout', type: 'num', help: 'The output number' },
        WEIGHT_ARG,
      ],
    },
  ],
};

/** Options that fundrawtransaction and walletcreatefundedpsbt have in common. @param addInputs default of add_inputs */
export const fundOptions = (addInputs: string): readonly ArgSpec[] => [
  { name: 'add_inputs', type: 'bool', default: addInputs, help: 'Whether coins may be added to those named' },
  { name: 'changeAddress', type: 'str', default: 'pool address', help: 'Where change goes' },
  { name: 'changePosition', type: 'num', default: 'random', help: 'The number of the change output' },
  CHANGE_TYPE_ARG,
  {
    name: 'includeWatching',
    type: 'bool',
    default: 'true for watch-only wallets, otherwise false',
    help: 'Spend watched coins too, if it is known how they are signed',
  },
  { name: 'lockUnspents', type: 'bool', default: 'false', help: 'Hold the chosen coins back from other payments, as lockunspent does' },
  FEE_RATE_ARG,
  { name: 'feeRate', type: 'amount', default: 'not set, fall back to wallet fee estimation', help: 'The fee rate, in BTC/kvB' },
  {
    name: 'subtractFeeFromOutputs',
    type: 'arr',
    default: 'empty array',
    help: 'Numbers of outputs that pay the fee, in equal shares',
    inner: [{ name: 'vout_index', type: 'num', optional: true, help: 'The number of an output, before change is added' }],
  },
  REPLACEABLE_ARG,
  CONF_TARGET_ARG,
  ESTIMATE_MODE_ARG,
  ...LATER_FUND_OPTIONS,
];

/** Fee and place of the change. */
export const FUNDED_MEMBERS: readonly ResultSpec[] = [
  { type: 'amount', key: 'fee', help: 'The fee in BTC' },
  { type: 'num', key: 'changepos', help: 'The number of the change output, -1 without one' },
];

/** Coins by their outpoints. */
export const INPUTS_INNER: readonly ArgSpec[] = [
  {
    name: '',
    type: 'obj',
    optional: true,
    help: '',
    inner: [
      { name: 'txid', type: 'hex', help: 'The transaction id' },
      { name: 'vout', type: 'num', help: 'The output number' },
      { name: 'sequence', type: 'num', default: 'depends on locktime and replaceable', help: 'The sequence number' },
      { ...WEIGHT_ARG, since: 24, optional: true },
    ],
  },
];

/** Addresses with amounts, or data. */
export const OUTPUTS_INNER: readonly ArgSpec[] = [
  {
    name: '',
    type: 'obj-user-keys',
    optional: true,
    help: '',
    inner: [{ name: 'address', type: 'amount', help: 'The address as the name, the amount in BTC as the value' }],
  },
  {
    name: '',
    type: 'obj',
    optional: true,
    help: '',
    inner: [{ name: 'data', type: 'hex', help: 'Bytes for an output that nobody can spend' }],
  },
];
