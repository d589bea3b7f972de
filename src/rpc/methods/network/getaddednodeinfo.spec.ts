// Declares getaddednodeinfo.
import type { MethodSpec } from '../../declare/types.js';

export const getaddednodeinfo: MethodSpec = {
  name: 'getaddednodeinfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'The peers that addnode or -addnode keeps (those of onetry are not kept).',
  args: [{ name: 'node', type: 'str', help: 'Only this one, as it was given.', optional: true }],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'str', key: 'addednode', help: 'As it was given' },
            { type: 'bool', key: 'connected', help: 'Whether there is a connection' },
            {
              type: 'arr',
              key: 'addresses',
              help: 'Where to, when there is one',
              inner: [
                {
                  type: 'obj',
                  help: '',
                  inner: [
                    { type: 'str', key: 'address', help: 'Address and port' },
                    { type: 'str', key: 'connected', help: 'inbound or outbound' },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '"192.168.0.201"', rpc: '"192.168.0.201"' }],
};
