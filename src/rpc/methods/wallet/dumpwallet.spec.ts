import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';

export const dumpwallet = declare({
  name: 'dumpwallet',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'keys',
  description:
    'Writes every private key and script of a legacy wallet to a text file. The file must not exist. Anyone who can\nread the file can spend the coins.',
  args: [str('filename', 'The file')],
  results: [obj([str('filename', 'Absolute path of the file')])],
  examples: [{ cli: '"test"', rpc: '"test"' }],
  waits: true,
});
