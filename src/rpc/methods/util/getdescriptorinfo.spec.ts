// Declares getdescriptorinfo.
import type { MethodSpec } from '../../declare/types.js';

export const getdescriptorinfo: MethodSpec = {
  name: 'getdescriptorinfo',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Reads an output descriptor and tells what it is.',
  args: [{ name: 'descriptor', type: 'str', holds: 'descriptor', help: 'The descriptor; its checksum may be left out.' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'descriptor', help: 'The descriptor in canonical form, without private keys, with its checksum' },
        {
          type: 'arr',
          key: 'multipath_expansion',
          optional: true,
          help: 'Every descriptor that a multipath descriptor stands for',
          inner: [{ type: 'str', help: 'A descriptor' }],
        },
        { type: 'str', key: 'checksum', help: 'The checksum of the text that was given' },
        { type: 'bool', key: 'isrange', help: 'Whether it stands for one script per index' },
        { type: 'bool', key: 'issolvable', help: 'Whether enough is known to sign, but for private keys' },
        { type: 'bool', key: 'hasprivatekeys', help: 'Whether the text holds a private key' },
      ],
    },
  ],
  examples: [
    {
      title: 'A descriptor of mine',
      cli: '"wpkh([d34db33f/84h/0h/0h]0279be667ef9dcbbac55a06295Ce870b07029Bfcdb2dce28d959f2815b16f81798)"',
      rpc: '"wpkh([d34db33f/84h/0h/0h]0279be667ef9dcbbac55a06295Ce870b07029Bfcdb2dce28d959f2815b16f81798)"',
    },
  ],
};
