import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import type { ResultSpec } from '../../declare/types.js';

const MISSING: readonly ResultSpec[] = [
  arr('pubkeys?', '', [hex('keyid', 'HASH160 of a public key')]),
  hex('redeemscript?', 'HASH160 of the redeem script'),
  hex('witnessscript?', 'SHA256 of the witness script'),
  arr('signatures?', '', [hex('keyid', 'HASH160 of a public key')]),
];

export const analyzepsbt = declare({
  name: 'analyzepsbt',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types',
  description: 'Returns what a PSBT lacks, and which role has to process it next.',
  args: [PSBT_ARG],
  results: [
    obj([
      arr('inputs?', '', [
        obj([
          bool('has_utxo', 'Whether the spent output is known'),
          bool('is_final', 'Whether the input is final'),
          obj('missing?', 'Data that the input lacks', MISSING),
          str('next', 'Role that has to process the input next'),
        ]),
      ]),
      num('estimated_vsize?', 'Estimated virtual size of the final transaction'),
      amount('estimated_feerate?', 'Estimated fee rate of the final transaction, in BTC/kvB'),
      amount('fee?', 'The fee in BTC. Absent if a spent output is unknown'),
      str('next', 'Role that has to process the PSBT next'),
      str('error?', 'Error, if the PSBT is not valid'),
    ]),
  ],
  examples: [{ cli: '"psbt"' }],
});
