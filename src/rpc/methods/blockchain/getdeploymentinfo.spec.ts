// Declares getdeploymentinfo.
import type { MethodSpec } from '../../declare/types.js';

export const getdeploymentinfo: MethodSpec = {
  name: 'getdeploymentinfo',
  since: 23,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'State of the soft forks in a block.',
  args: [{ name: 'blockhash', type: 'hex', default: 'the tip', help: 'The block' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'hash', help: 'The block hash' },
        { type: 'num', key: 'height', help: 'Its height' },
        { type: 'arr', key: 'script_flags', since: 31, help: 'Script rules that hold in it', inner: [{ type: 'str', help: 'A rule' }] },
        {
          type: 'obj-dyn',
          key: 'deployments',
          help: '',
          inner: [
            {
              type: 'obj',
              key: 'xxxx',
              help: 'Name of the soft fork',
              inner: [
                { type: 'str', key: 'type', help: '"buried" or "bip9"' },
                { type: 'num', key: 'height', optional: true, help: 'First height with the rule, when known' },
                { type: 'bool', key: 'active', help: 'Whether the next block must follow it' },
                {
                  type: 'obj',
                  key: 'bip9',
                  optional: true,
                  help: 'State of a bip9 deployment',
                  inner: [{ type: 'elision', help: 'As in getblockchaininfo, with status_next and signalling' }],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
