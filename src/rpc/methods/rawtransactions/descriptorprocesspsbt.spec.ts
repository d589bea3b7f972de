import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, obj, range, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import { SIGHASH_TYPE_ARG } from '../../declare/signing-parts.js';

export const descriptorprocesspsbt = declare({
  name: 'descriptorprocesspsbt',
  since: 26,
  category: 'rawtransactions',
  runs: 'node',
  description: 'Adds data from descriptors, the chain and the mempool to a PSBT, and signs with the private keys of the\ndescriptors.',
  args: [
    PSBT_ARG,
    arr('descriptors', 'The descriptors', [
      str('A descriptor', { holds: 'descriptor', optional: true }),
      obj('A descriptor with its range', { optional: true }, [
        str('desc', 'The descriptor', { holds: 'descriptor' }),
        range('range', 'Last index, or first and last', { default: '1000' }),
      ]),
    ]),
    SIGHASH_TYPE_ARG,
    bool('bip32derivs', 'Whether to include the derivation paths of keys (BIP32)', { default: 'true' }),
    bool('finalize', 'Whether to finalize complete inputs', { default: 'true' }),
  ],
  results: [
    obj([
      str('psbt', 'The PSBT in Base64'),
      bool('complete', 'Whether all inputs are signed'),
      hex('hex?', 'The transaction as hex, only if all inputs are signed'),
    ]),
  ],
  examples: [{ cli: '"psbt" \'["descriptor1", "descriptor2"]\'' }, { cli: '"psbt" \'[{"desc":"mydescriptor", "range":21}]\'' }],
});
