import { declare } from '../../declare/parameters.js';
import { arr, range, str } from '../../declare/parts.js';

export const deriveaddresses = declare({
  name: 'deriveaddresses',
  category: 'util',
  runs: 'node',
  repeatable: true,
  checks: 'types',
  description: 'Returns the addresses of an output descriptor.',
  args: [
    str('descriptor', 'The descriptor with its checksum', { holds: 'descriptor' }),
    range('range?', 'For ranged descriptors: the last index, or [begin,end], both included'),
  ],
  results: [
    arr([str('An address')]),
    arr({ since: 29, when: 'for a multipath descriptor' }, [arr('Addresses of one path', [str('An address')])]),
  ],
  examples: [
    {
      title: 'The first three receiving addresses',
      cli: '"wpkh([d34db33f/84h/0h/0h]xpub6DJ2dNUysrn5Vt36jH2KLBT2i1auw1tTSSomg8PhqNiUtx8QX2SvC9nrHu81fT41fvDUnhMjEzQgXnQjKEu3oaqMSzhSrHMxyyoEAmUHQbY/0/*)#cjjspncu" "[0,2]"',
      rpc: '"wpkh([d34db33f/84h/0h/0h]xpub6DJ2dNUysrn5Vt36jH2KLBT2i1auw1tTSSomg8PhqNiUtx8QX2SvC9nrHu81fT41fvDUnhMjEzQgXnQjKEu3oaqMSzhSrHMxyyoEAmUHQbY/0/*)#cjjspncu", "[0,2]"',
    },
  ],
  waits: true,
});
