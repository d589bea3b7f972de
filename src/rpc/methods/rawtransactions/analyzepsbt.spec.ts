import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const MISSING: readonly ResultSpec[] = [
  arr('pubkeys?', '', [hex('keyid', 'HASH160 of a public key')]),
  hex('redeemscript?', 'HASH160 of the redeem script'),
  hex('witnessscript?', 'SHA256 of the witness script'),
  arr('signatures?', '', [hex('keyid', 'HASH160 of a public key')]),
];

export const analyzepsbt: MethodSpec = {
  name: 'analyzepsbt',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  checks: 'types',
  description: 'Says what a PSBT lacks and who is next.',
  args: [PSBT_ARG],
  results: [
    obj([
      arr('inputs?', '', [
        obj([
          bool('has_utxo', 'Whether the output spent is known'),
          bool('is_final', 'Whether it is final'),
          obj('missing?', 'What it lacks', MISSING),
          str('next', 'Who works on it next'),
        ]),
      ]),
      num('estimated_vsize?', 'Virtual size of the finished transaction, about'),
      amount('estimated_feerate?', 'Its fee rate in BTC/kvB, about'),
      amount('fee?', 'The fee in BTC, when all outputs spent are known'),
      str('next', 'Who works on the whole next'),
      str('error?', 'Why it makes no sense'),
    ]),
  ],
  examples: [{ cli: '"psbt"' }],
};
