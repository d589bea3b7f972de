import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, num, obj, str } from '../../declare/parts.js';

export const validateaddress = declare({
  name: 'validateaddress',
  category: 'util',
  runs: 'front',
  cacheable: true,
  description: 'Returns whether an address is valid, and its details.',
  args: [str('address', 'The address')],
  results: [
    obj([
      bool('isvalid', 'Whether the address is valid. If not, only the error follows'),
      str('address?', 'The address'),
      hex('scriptPubKey?', 'The output script'),
      bool('isscript?', 'Whether the address is of a script'),
      bool('iswitness?', 'Whether the address is a witness address'),
      num('witness_version?', 'The witness version'),
      hex('witness_program?', 'The witness program'),
      arr('error_locations?', 'Likely positions of the mistake', { since: 22 }, [num('The index of a character')]),
      str('error?', 'Error, if the address is invalid', { since: 22 }),
    ]),
  ],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' }],
});
