import { declare } from '../../declare/parameters.js';
import { bool, hex, obj, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import { SIGHASH_TYPE_ARG } from '../../declare/signing-parts.js';

export const walletprocesspsbt = declare({
  name: 'walletprocesspsbt',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Adds data of the wallet to a PSBT, and signs the inputs that it can sign. A locked wallet signs nothing.',
  args: [
    PSBT_ARG,
    bool('sign', 'Whether to sign', { default: 'true' }),
    SIGHASH_TYPE_ARG,
    bool('bip32derivs', 'Whether to include the derivation paths of keys (BIP32)', { default: 'true' }),
    bool('finalize', 'Whether to finalize complete inputs', { since: 23, default: 'true' }),
  ],
  results: [
    obj([
      str('psbt', 'The PSBT in Base64'),
      bool('complete', 'Whether all inputs are final'),
      hex('hex?', 'The transaction as hex, only if all inputs are final', { since: 26 }),
    ]),
  ],
  examples: [{ cli: '"psbt"' }],
});
