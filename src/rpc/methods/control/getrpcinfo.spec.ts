// Declares getrpcinfo.
import type { MethodSpec } from '../../declare/types.js';

export const getrpcinfo: MethodSpec = {
  name: 'getrpcinfo',
  category: 'control',
  runs: 'node',
  repeatable: true,
  description: 'Facts about the RPC server.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'arr',
          key: 'active_commands',
          help: 'Calls under way',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'str', key: 'method', help: 'The method' },
                { type: 'num', key: 'duration', help: 'Microseconds since it began' },
              ],
            },
          ],
        },
        { type: 'str', key: 'logpath', help: 'The whole path of the log file' },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
