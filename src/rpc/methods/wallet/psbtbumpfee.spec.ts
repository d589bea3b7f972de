import { BUMP_ARGS, BUMP_MEMBERS } from '../../declare/bump-parts.js';
import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';

export const psbtbumpfee = declare({
  name: 'psbtbumpfee',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description:
    'Creates the replacement that bumpfee would create, unsigned, as a PSBT. The call sends and records nothing.\nThe wallet must be unlocked.',
  args: BUMP_ARGS,
  results: [obj([str('psbt', 'The PSBT in Base64'), ...BUMP_MEMBERS])],
  examples: [{ title: 'A PSBT that pays more', cli: '"txid"' }],
  waits: true,
});
