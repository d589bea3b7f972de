// Declares decodescript; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

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
        { type: 'str', key: 'asm', help: 'The script in words' },
        { type: 'str', key: 'type', help: 'Its type' },
        { type: 'num', key: 'reqSigs', optional: true, help: 'Signatures needed' },
        { type: 'arr', key: 'addresses', optional: true, help: '', inner: [{ type: 'str', help: 'An address' }] },
        { type: 'str', key: 'p2sh', optional: true, help: 'Address of the P2SH script that wraps it (not for one that is P2SH already)' },
        {
          type: 'obj',
          key: 'segwit',
          optional: true,
          help: 'The witness script that wraps it (not for witness programs and P2SH)',
          inner: [
            { type: 'str', key: 'asm', help: 'The script in words' },
            { type: 'hex', key: 'hex', help: 'The script' },
            { type: 'str', key: 'type', help: 'Its type' },
            { type: 'num', key: 'reqSigs', help: 'Signatures needed' },
            { type: 'arr', key: 'addresses', help: '', inner: [{ type: 'str', help: 'An address' }] },
            { type: 'str', key: 'p2sh-segwit', help: 'Address of the P2SH script that wraps the witness script' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '"hexstring"', rpc: '"hexstring"' }],
};
