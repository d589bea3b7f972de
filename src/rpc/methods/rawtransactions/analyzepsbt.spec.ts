// Declares analyzepsbt.
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const MISSING: readonly ResultSpec[] = [
  { type: 'arr', key: 'pubkeys', optional: true, help: '', inner: [{ type: 'hex', key: 'keyid', help: 'HASH160 of a public key' }] },
  { type: 'hex', key: 'redeemscript', optional: true, help: 'HASH160 of the redeem script' },
  { type: 'hex', key: 'witnessscript', optional: true, help: 'SHA256 of the witness script' },
  { type: 'arr', key: 'signatures', optional: true, help: '', inner: [{ type: 'hex', key: 'keyid', help: 'HASH160 of a public key' }] },
];

export const analyzepsbt: MethodSpec = {
  name: 'analyzepsbt',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  description: 'Says what a PSBT lacks and who is next.',
  args: [PSBT_ARG],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'arr',
          key: 'inputs',
          optional: true,
          help: '',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'bool', key: 'has_utxo', help: 'Whether the output spent is known' },
                { type: 'bool', key: 'is_final', help: 'Whether it is final' },
                { type: 'obj', key: 'missing', optional: true, help: 'What it lacks', inner: MISSING },
                { type: 'str', key: 'next', help: 'Who works on it next' },
              ],
            },
          ],
        },
        { type: 'num', key: 'estimated_vsize', optional: true, help: 'Virtual size of the finished transaction, about' },
        { type: 'amount', key: 'estimated_feerate', optional: true, help: 'Its fee rate in BTC/kvB, about' },
        { type: 'amount', key: 'fee', optional: true, help: 'The fee in BTC, when all outputs spent are known' },
        { type: 'str', key: 'next', help: 'Who works on the whole next' },
        { type: 'str', key: 'error', optional: true, help: 'Why it makes no sense' },
      ],
    },
  ],
  examples: [{ cli: '"psbt"' }],
};
