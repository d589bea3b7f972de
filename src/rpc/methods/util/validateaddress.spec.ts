import { arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const validateaddress: MethodSpec = {
  name: 'validateaddress',
  category: 'util',
  runs: 'front',
  cacheable: true,
  description: 'Tells whether an address is valid, and what it stands for.',
  args: [str('address', 'The address')],
  results: [
    obj([
      bool('isvalid', 'Whether it is valid; when not, only why.'),
      str('address?', 'The address'),
      hex('scriptPubKey?', 'Its output script'),
      bool('isscript?', 'Whether it stands for a script'),
      bool('iswitness?', 'Whether it is a witness address'),
      num('witness_version?', 'The witness version'),
      hex('witness_program?', 'The witness program'),
      arr('error_locations?', 'Where the mistake is likely to be', { since: 22 }, [num('The index of a character')]),
      str('error?', 'Why it is not valid', { since: 22 }),
    ]),
  ],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' }],
};
