// Parts that the signing calls share: what a signature commits to, and what comes back.
import type { ArgSpec, ResultSpec } from './types.js';

/** Argument: outputs that are spent and that the node may not know. */
export const PREVTXS_ARG: ArgSpec = {
  name: 'prevtxs',
  type: 'arr',
  optional: true,
  help: 'Outputs the inputs spend that the node need not know',
  inner: [
    {
      name: '',
      type: 'obj',
      optional: true,
      help: '',
      inner: [
        { name: 'txid', type: 'hex', help: 'The transaction id' },
        { name: 'vout', type: 'num', help: 'The output number' },
        { name: 'scriptPubKey', type: 'hex', help: 'The output script' },
        { name: 'redeemScript', type: 'hex', optional: true, help: 'For P2SH: the redeem script' },
        { name: 'witnessScript', type: 'hex', optional: true, help: 'For P2WSH, also inside P2SH: the witness script' },
        { name: 'amount', type: 'amount', optional: true, help: 'The amount, needed for segwit outputs' },
      ],
    },
  ],
};

/** Argument: the hash type. */
export const SIGHASH_TYPE_ARG: ArgSpec = {
  name: 'sighashtype',
  type: 'str',
  default: 'ALL',
  help: 'What the signatures commit to:\n"ALL"\n"NONE"\n"SINGLE"\n"ALL|ANYONECANPAY"\n"NONE|ANYONECANPAY"\n"SINGLE|ANYONECANPAY"\n"DEFAULT", ALL without its byte in signatures of taproot; not with -compat=0.21.1',
};

/** Result: the transaction as far as it is signed. */
export const SIGNED_RESULTS: readonly ResultSpec[] = [
  {
    type: 'obj',
    help: '',
    inner: [
      { type: 'hex', key: 'hex', help: 'The transaction with its signatures' },
      { type: 'bool', key: 'complete', help: 'Whether every input can be spent now' },
      {
        type: 'arr',
        key: 'errors',
        optional: true,
        help: 'Inputs that cannot be spent yet',
        inner: [
          {
            type: 'obj',
            help: '',
            inner: [
              { type: 'hex', key: 'txid', help: 'The transaction whose output is spent' },
              { type: 'num', key: 'vout', help: 'The output number' },
              { type: 'arr', key: 'witness', help: 'The witness', inner: [{ type: 'hex', key: 'witness', help: 'An item' }] },
              { type: 'hex', key: 'scriptSig', help: 'The scriptSig' },
              { type: 'num', key: 'sequence', help: 'The sequence number' },
              { type: 'str', key: 'error', help: 'What is wrong' },
            ],
          },
        ],
      },
    ],
  },
];
