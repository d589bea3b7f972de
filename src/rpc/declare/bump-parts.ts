// Arguments and members of bumpfee and psbtbumpfee.
import { OUTPUTS_INNER } from './fund-parts.js';
import { amount, arr, bool, hash, num, obj, str } from './parts.js';
import { PSBT_VERSION_ARG } from './psbt-parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG } from './spend-parts.js';
import type { ResultSpec } from './types.js';

export const BUMP_ARGS = [
  hash('txid', 'The transaction id of the payment'),
  obj('options?', '', { namedMembers: true, oneline: 'options' }, [
    CONF_TARGET_ARG,
    amount('fee_rate', 'The fee rate in sat/vB. It must exceed the old rate by the increment of the node and the wallet', {
      default: 'not set, fall back to wallet fee estimation',
    }),
    bool('replaceable', 'Whether the replacement signals that it may be replaced again', { default: 'true' }),
    ESTIMATE_MODE_ARG,
    arr('outputs', 'Outputs that replace the old outputs', { anyType: true, since: 25, default: '[]' }, OUTPUTS_INNER),
    num('original_change_index', 'Position of the old output that is change. Not allowed together with outputs', {
      since: 26,
      default: 'not set, the wallet knows its change',
    }),
    PSBT_VERSION_ARG,
  ]),
] as const;

export const BUMP_MEMBERS: readonly ResultSpec[] = [
  amount('origfee', 'The fee of the old transaction'),
  amount('fee', 'The fee of the replacement'),
  arr('errors', 'Errors (may be empty)', [str()]),
];
