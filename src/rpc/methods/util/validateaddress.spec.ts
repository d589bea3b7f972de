// Declares validateaddress.
import type { MethodSpec } from '../../declare/types.js';

export const validateaddress: MethodSpec = {
  name: 'validateaddress',
  category: 'util',
  runs: 'front',
  description: 'Tells whether an address is valid, and what it stands for.',
  args: [{ name: 'address', type: 'str', help: 'The address' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'bool', key: 'isvalid', help: 'Whether it is valid; when not, only why.' },
        { type: 'str', key: 'address', optional: true, help: 'The address' },
        { type: 'hex', key: 'scriptPubKey', optional: true, help: 'Its output script' },
        { type: 'bool', key: 'isscript', optional: true, help: 'Whether it stands for a script' },
        { type: 'bool', key: 'iswitness', optional: true, help: 'Whether it is a witness address' },
        { type: 'num', key: 'witness_version', optional: true, help: 'The witness version' },
        { type: 'hex', key: 'witness_program', optional: true, help: 'The witness program' },
        {
          type: 'arr',
          key: 'error_locations',
          since: 22,
          optional: true,
          help: 'Where the mistake is likely to be',
          inner: [{ type: 'num', help: 'The index of a character' }],
        },
        { type: 'str', key: 'error', since: 22, optional: true, help: 'Why it is not valid' },
      ],
    },
  ],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' }],
};
