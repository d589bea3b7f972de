// Parts that the signing calls share: what a signature commits to, and what comes back.
import type { ArgSpec, ResultSpec } from './types.js';

/** Argument: the hash type. */
export const SIGHASH_TYPE_ARG: ArgSpec = {
  name: 'sighashtype',
  type: 'str',
  default: 'ALL',
  help: 'What the signatures commit to:\n"ALL"\n"NONE"\n"SINGLE"\n"ALL|ANYONECANPAY"\n"NONE|ANYONECANPAY"\n"SINGLE|ANYONECANPAY"\n"DEFAULT", ALL without its byte in signatures of taproot; not on regtest',
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
