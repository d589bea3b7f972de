import { declare } from '../../declare/parameters.js';
import { arr, obj, range, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';

export const utxoupdatepsbt = declare({
  name: 'utxoupdatepsbt',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types or null',
  description:
    'Adds the segwit outputs that a PSBT spends, from the chain and the mempool, and the scripts and keys that\ndescriptors provide.',
  args: [
    PSBT_ARG,
    arr('descriptors?', 'Descriptors', { as: 'json' }, [
      str('A descriptor', { holds: 'descriptor', optional: true }),
      obj('A descriptor with a range', { optional: true }, [
        str('desc', 'A descriptor', { holds: 'descriptor' }),
        range('range', 'The last index, or [begin,end]', { default: '1000' }),
      ]),
    ]),
  ],
  results: [str('The PSBT in Base64')],
  examples: [{ cli: '"psbt"' }],
});
