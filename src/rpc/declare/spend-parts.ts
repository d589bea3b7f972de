// Parts that the paying calls share: how the fee is chosen, and what is said about the payment.
import { amount, bool, hex, num, obj, str } from './parts.js';
import type { ArgSpec, ResultSpec } from './types.js';

export const REPLACEABLE_ARG: ArgSpec = bool('replaceable', 'Whether a payment with a higher fee may take its place (BIP125)', {
  default: 'wallet default',
});

export const CONF_TARGET_ARG: ArgSpec = num('conf_target', 'Blocks within which it should confirm', { default: 'wallet -txconfirmtarget' });

export const ESTIMATE_MODE_ARG: ArgSpec = str(
  'estimate_mode',
  'How the fee is estimated (case does not matter):\n"unset"\n"economical"\n"conservative"',
  { default: 'unset' },
);

export const FEE_RATE_ARG: ArgSpec = amount('fee_rate', 'The fee rate, in sat/vB', {
  default: 'not set, fall back to wallet fee estimation',
});

export const VERBOSE_ARG: ArgSpec = bool('verbose', 'Say also why the fee is what it is', { default: 'false' });

/** Results of sendtoaddress and sendmany. */
export const SEND_RESULTS: readonly ResultSpec[] = [
  hex('The transaction id', { when: 'if verbose is not set or set to false' }),
  obj({ when: 'if verbose is set to true' }, [hex('txid', 'The transaction id'), str('fee_reason', 'Where the fee rate comes from')]),
];
