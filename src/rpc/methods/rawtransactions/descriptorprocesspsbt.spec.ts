// Declares descriptorprocesspsbt.
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import { SIGHASH_TYPE_ARG } from '../../declare/signing-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const descriptorprocesspsbt: MethodSpec = {
  name: 'descriptorprocesspsbt',
  since: 26,
  category: 'rawtransactions',
  runs: 'node',
  description: 'Adds to a PSBT what descriptors, the chain and the pool tell, and signs what their private keys can.',
  args: [
    PSBT_ARG,
    {
      name: 'descriptors',
      type: 'arr',
      help: 'The descriptors',
      inner: [
        { name: '', type: 'str', holds: 'descriptor', optional: true, help: 'A descriptor' },
        {
          name: '',
          type: 'obj',
          optional: true,
          help: 'A descriptor with its range',
          inner: [
            { name: 'desc', type: 'str', holds: 'descriptor', help: 'The descriptor' },
            { name: 'range', type: 'range', default: '1000', help: 'Last index, or first and last' },
          ],
        },
      ],
    },
    SIGHASH_TYPE_ARG,
    { name: 'bip32derivs', type: 'bool', default: 'true', help: 'Whether to tell where keys come from (BIP32)' },
    { name: 'finalize', type: 'bool', default: 'true', help: 'Whether to put final scripts into inputs that are complete' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'psbt', help: 'The PSBT in Base64' },
        { type: 'bool', key: 'complete', help: 'Whether all inputs are signed' },
        { type: 'hex', key: 'hex', optional: true, help: 'The transaction, when they are' },
      ],
    },
  ],
  examples: [{ cli: '"psbt" \'["descriptor1", "descriptor2"]\'' }, { cli: '"psbt" \'[{"desc":"mydescriptor", "range":21}]\'' }],
};
