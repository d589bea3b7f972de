import { SCRIPT_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { hex, obj, str } from '../../declare/parts.js';

export const decodescript = declare({
  name: 'decodescript',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types',
  description: 'Returns a script as an object.',
  args: [hex('hexstring', 'The script', { as: 'json' })],
  results: [
    obj([
      ...SCRIPT_MEMBERS.filter(({ name }) => name !== 'hex'),
      str('p2sh?', 'Address of the P2SH script that wraps this script. Absent for a P2SH script'),
      obj('segwit?', 'The witness output script that wraps this script. Absent for witness programs and P2SH scripts', [
        ...SCRIPT_MEMBERS,
        str('p2sh-segwit', 'Address of the P2SH script that wraps the witness script'),
      ]),
    ]),
  ],
  examples: [{ cli: '"hexstring"', rpc: '"hexstring"' }],
});
