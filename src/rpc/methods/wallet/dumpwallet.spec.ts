import { obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const dumpwallet: MethodSpec = {
  name: 'dumpwallet',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'keys',
  description:
    'Writes every private key and script of a legacy wallet to a text file, which must not exist. Whoever has the file has the coins.',
  args: [str('filename', 'The file')],
  results: [obj([str('filename', 'The file with its full path')])],
  examples: [{ cli: '"test"', rpc: '"test"' }],
  waits: true,
};
