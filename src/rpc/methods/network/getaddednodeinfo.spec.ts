import { arr, bool, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getaddednodeinfo: MethodSpec = {
  name: 'getaddednodeinfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'The peers that addnode or -addnode keeps (those of onetry are not kept).',
  args: [str('node?', 'Only this one, as it was given.')],
  results: [
    arr([
      obj([
        str('addednode', 'As it was given'),
        bool('connected', 'Whether there is a connection'),
        arr('addresses', 'Where to, when there is one', [
          obj([str('address', 'Address and port'), str('connected', 'inbound or outbound')]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '"192.168.0.201"', rpc: '"192.168.0.201"' }],
};
