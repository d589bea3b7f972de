// Core: rpc/misc.cpp. A render thread derives the addresses, because a range may have a million of them.
import { asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, range, str } from '../../declare/parts.js';
import { deriveAddresses } from '../../node/scan-calls.js';
import { asRange } from '../../range.js';
import { RawBytes } from '../../wire/values.js';

export const spec = declare({
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

export const deriveaddresses: NodeRun<typeof spec> = async (params, ctx, call) => {
  const range = params.range === null ? null : asRange(params.range);
  // Core 0.21 counts arguments, even if they are null.
  const hasRange = params.args.length > 1;
  return new RawBytes([await deriveAddresses(ctx, { descriptor: asString(params.descriptor), range, hasRange }, call)]);
};
