// Core: rpc/misc.cpp.

import { parseDescriptor } from '../../../address/descriptor/parse.js';
import { asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'getdescriptorinfo',
  category: 'util',
  runs: 'node',
  repeatable: true,
  checks: 'types',
  description: 'Analyses an output descriptor.',
  args: [str('descriptor', 'The descriptor, with or without its checksum', { as: 'json', holds: 'descriptor' })],
  results: [
    obj([
      str('descriptor', 'The descriptor in canonical form, without private keys, with its checksum'),
      arr('multipath_expansion?', 'Every descriptor that a multipath descriptor stands for', [str('A descriptor')]),
      str('checksum', 'The checksum of the text that was given'),
      bool('isrange', 'Whether the descriptor has a range'),
      bool('issolvable', 'Whether the descriptor is solvable'),
      bool('hasprivatekeys', 'Whether the given descriptor has a private key'),
    ]),
  ],
  examples: [
    {
      title: 'A descriptor of mine',
      cli: '"wpkh([d34db33f/84h/0h/0h]0279be667ef9dcbbac55a06295Ce870b07029Bfcdb2dce28d959f2815b16f81798)"',
      rpc: '"wpkh([d34db33f/84h/0h/0h]0279be667ef9dcbbac55a06295Ce870b07029Bfcdb2dce28d959f2815b16f81798)"',
    },
  ],
});

export const getdescriptorinfo: NodeRun<typeof spec> = ({ descriptor }, ctx, call) => {
  const parsed = parseDescriptor(asString(descriptor), ctx.descriptors, { keys: call.taken?.keys });
  if ('error' in parsed) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, parsed.error);
  const { descriptors, secrets, checksum } = parsed;
  const texts = descriptors.map(String);
  const [first] = descriptors;
  const result = {
    descriptor: texts[0],
    multipath_expansion: texts.length > 1 ? texts : undefined,
    checksum,
    isrange: first.isRange,
    issolvable: first.isSolvable,
    hasprivatekeys: secrets.size > 0,
  };
  secrets.wipe();
  return result;
};
