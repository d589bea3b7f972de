// Parts of bumpfee and psbtbumpfee.
import { OUTPUTS_INNER } from './fund-parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG } from './spend-parts.js';
import type { ArgSpec, ResultSpec } from './types.js';

export const BUMP_ARGS: readonly ArgSpec[] = [
  { name: 'txid', type: 'hex', help: 'The transaction id of the payment' },
  {
    name: 'options',
    type: 'obj',
    namedMembers: true,
    optional: true,
    help: '',
    inner: [
      CONF_TARGET_ARG,
      {
        name: 'fee_rate',
        type: 'amount',
        default: 'not set, fall back to wallet fee estimation',
        help: "The fee rate in sat/vB: at least the old one and that of the node's and the wallet's increments",
      },
      { name: 'replaceable', type: 'bool', default: 'true', help: 'Whether the new one can be replaced again' },
      ESTIMATE_MODE_ARG,
      {
        name: 'outputs',
        type: 'arr',
        anyType: true,
        since: 25,
        default: '[]',
        help: 'Paid instead of the old outputs',
        inner: OUTPUTS_INNER,
      },
      {
        name: 'original_change_index',
        type: 'num',
        since: 26,
        default: 'not set, the wallet knows its change',
        help: 'The number of the old output that is change; not with outputs',
      },
    ],
    oneline: 'options',
  },
];

export const BUMP_MEMBERS: readonly ResultSpec[] = [
  { type: 'amount', key: 'origfee', help: 'The fee of the old transaction' },
  { type: 'amount', key: 'fee', help: 'The fee of the new one' },
  { type: 'arr', key: 'errors', help: 'What went wrong on the way (may be empty)', inner: [{ type: 'str', help: '' }] },
];
