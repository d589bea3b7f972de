// Parts of declarations of methods that sign: arguments and results.
import { amount, arr, bool, hex, num, obj, str } from './parts.js';
import type { ResultSpec } from './types.js';

/** Argument: outputs that the inputs spend and that the node may not know. */
export const PREVTXS_ARG = arr('prevtxs?', 'Outputs that the inputs spend and that the node may not know', [
  obj({ optional: true }, [
    hex('txid', 'The transaction id'),
    num('vout', 'The output number'),
    hex('scriptPubKey', 'The output script'),
    hex('redeemScript?', 'For P2SH: the redeem script'),
    hex('witnessScript?', 'For P2WSH, also inside P2SH: the witness script'),
    amount('amount?', 'The amount. Required for segwit outputs'),
  ]),
]);

/** Argument: the sighash type. */
export const SIGHASH_TYPE_ARG = str(
  'sighashtype',
  'The signature hash type:\n"ALL"\n"NONE"\n"SINGLE"\n"ALL|ANYONECANPAY"\n"NONE|ANYONECANPAY"\n"SINGLE|ANYONECANPAY"\n"DEFAULT" (taproot: ALL without an additional byte in the signature; not with -compat=0.21.1)',
  { default: 'ALL' },
);

/** Result: the transaction with the signatures so far. */
export const SIGNED_RESULTS: readonly ResultSpec[] = [
  obj([
    hex('hex', 'The transaction with its signatures'),
    bool('complete', 'Whether every input can be spent now'),
    arr('errors?', 'Inputs that cannot be spent yet', [
      obj([
        hex('txid', 'The transaction whose output is spent'),
        num('vout', 'The output number'),
        arr('witness', 'The witness', [hex('witness', 'An item')]),
        hex('scriptSig', 'The scriptSig'),
        num('sequence', 'The sequence number'),
        str('error', 'The error'),
      ]),
    ]),
  ]),
];
