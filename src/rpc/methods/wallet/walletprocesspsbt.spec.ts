// Declares walletprocesspsbt.
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import { SIGHASH_TYPE_ARG } from '../../declare/signing-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const walletprocesspsbt: MethodSpec = {
  name: 'walletprocesspsbt',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Adds to a PSBT what the wallet knows, and signs what it can. A locked wallet signs nothing.',
  args: [
    PSBT_ARG,
    { name: 'sign', type: 'bool', default: 'true', help: 'Whether to sign' },
    SIGHASH_TYPE_ARG,
    { name: 'bip32derivs', type: 'bool', default: 'true', help: 'Whether to tell where keys come from (BIP32)' },
    { name: 'finalize', type: 'bool', since: 23, default: 'true', help: 'Whether inputs that are complete get their final scripts' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'psbt', help: 'The PSBT in Base64' },
        { type: 'bool', key: 'complete', help: 'Whether all inputs are final' },
        { type: 'hex', key: 'hex', since: 26, optional: true, help: 'The transaction, when all are' },
      ],
    },
  ],
  examples: [{ cli: '"psbt"' }],
};
