// Parts of declarations of methods that pay: how the fee is chosen, and what the result says about it.
import { amount, bool, hex, num, obj, str } from './parts.js';
import type { ResultSpec } from './types.js';

export const REPLACEABLE_ARG = bool('replaceable', 'Whether to signal that the transaction may be replaced (BIP125)', {
  default: 'wallet default',
});

export const CONF_TARGET_ARG = num('conf_target', 'Number of blocks within which the transaction should confirm', {
  as: 'json',
  default: 'wallet -txconfirmtarget',
});

export const ESTIMATE_MODE_ARG = str(
  'estimate_mode',
  'The mode of the fee estimate (not case sensitive):\n"unset"\n"economical"\n"conservative"',
  { as: 'json', default: 'unset' },
);

export const FEE_RATE_ARG = amount('fee_rate', 'The fee rate, in sat/vB', {
  as: 'json',
  default: 'not set, fall back to wallet fee estimation',
});

export const VERBOSE_ARG = bool('verbose', 'Whether to return the reason for the fee too', { default: 'false' });

/** Results of sendtoaddress and sendmany. */
export const SEND_RESULTS: readonly ResultSpec[] = [
  hex('The transaction id', { when: 'if verbose is not set or set to false' }),
  obj({ when: 'if verbose is set to true' }, [hex('txid', 'The transaction id'), str('fee_reason', 'Reason for the fee')]),
];
