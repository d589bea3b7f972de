// Parts that the paying calls share: how the fee is chosen, and what is said about the payment.
import type { ArgSpec, ResultSpec } from './types.js';

export const REPLACEABLE_ARG: ArgSpec = {
  name: 'replaceable',
  type: 'bool',
  default: 'wallet default',
  help: 'Whether a payment with a higher fee may take its place (BIP125)',
};

export const CONF_TARGET_ARG: ArgSpec = {
  name: 'conf_target',
  type: 'num',
  default: 'wallet -txconfirmtarget',
  help: 'Blocks within which it should confirm',
};

export const ESTIMATE_MODE_ARG: ArgSpec = {
  name: 'estimate_mode',
  type: 'str',
  default: 'unset',
  help: 'How the fee is estimated (case does not matter):\n"unset"\n"economical"\n"conservative"',
};

export const FEE_RATE_ARG: ArgSpec = {
  name: 'fee_rate',
  type: 'amount',
  default: 'not set, fall back to wallet fee estimation',
  help: 'The fee rate, in sat/vB',
};

export const VERBOSE_ARG: ArgSpec = { name: 'verbose', type: 'bool', default: 'false', help: 'Say also why the fee is what it is' };

/** Results of sendtoaddress and sendmany. */
export const SEND_RESULTS: readonly ResultSpec[] = [
  { type: 'hex', when: 'if verbose is not set or set to false', help: 'The transaction id' },
  {
    type: 'obj',
    when: 'if verbose is set to true',
    help: '',
    inner: [
      { type: 'hex', key: 'txid', help: 'The transaction id' },
      { type: 'str', key: 'fee_reason', help: 'Where the fee rate comes from' },
    ],
  },
];
