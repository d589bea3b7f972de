// Declares decodescript.
import { SCRIPT_MEMBERS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const decodescript: MethodSpec = {
  name: 'decodescript',
  category: 'rawtransactions',
  runs: 'front',
  description: 'Shows a script as an object.',
  args: [{ name: 'hexstring', type: 'hex', help: 'The script' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        ...SCRIPT_MEMBERS.filter(({ key }) => key !== 'hex'),
        { type: 'str', key: 'p2sh', optional: true, help: 'Address of the P2SH script that wraps it (not for one that is P2SH already)' },
        {
          type: 'obj',
          key: 'segwit',
          optional: true,
          help: 'The witness script that wraps it (not for witness programs and P2SH)',
          inner: [...SCRIPT_MEMBERS, { type: 'str', key: 'p2sh-segwit', help: 'Address of the P2SH script that wraps the witness script' }],
        },
      ],
    },
  ],
  examples: [{ cli: '"hexstring"', rpc: '"hexstring"' }],
};
