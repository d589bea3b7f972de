// Declares getblockchaininfo; types.ts says what a declaration is for.
import { NODE_WARNINGS } from './members.js';
import type { MethodSpec } from './types.js';

export const getblockchaininfo: MethodSpec = {
  name: 'getblockchaininfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Facts about the state of the chain.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'chain', help: 'Name of the chain (main, test, testnet4, signet, regtest)' },
        { type: 'num', key: 'blocks', help: 'Height of the best validated chain' },
        { type: 'num', key: 'headers', help: 'Height of the best header chain' },
        { type: 'str', key: 'bestblockhash', help: 'Hash of the tip' },
        { type: 'hex', key: 'bits', since: 29, help: 'Compact target of the tip' },
        { type: 'hex', key: 'target', since: 29, help: 'Target of the tip' },
        { type: 'num', key: 'difficulty', help: 'Difficulty of the tip' },
        { type: 'num-time', key: 'time', since: 23, help: 'Time of the tip' },
        { type: 'num', key: 'mediantime', help: 'Median time past of the tip' },
        { type: 'num', key: 'verificationprogress', help: 'Estimated share of the chain that is verified, 0 to 1' },
        { type: 'bool', key: 'initialblockdownload', help: 'Whether the node is still catching up' },
        { type: 'hex', key: 'chainwork', help: 'All work of the chain' },
        { type: 'num', key: 'size_on_disk', help: 'Bytes of block and undo files' },
        { type: 'bool', key: 'pruned', help: 'Whether old blocks are deleted' },
        { type: 'num', key: 'pruneheight', optional: true, help: 'Height from which on all blocks are stored, when old ones are deleted' },
        { type: 'bool', key: 'automatic_pruning', optional: true, help: 'Whether they are deleted unasked, when old ones are deleted' },
        { type: 'num', key: 'prune_target_size', optional: true, help: 'Bytes that block and undo files may take, when deleted unasked' },
        {
          type: 'obj-dyn',
          key: 'softforks',
          until: 24,
          help: 'State of the soft forks',
          inner: [
            {
              type: 'obj',
              key: 'xxxx',
              help: 'Name of the soft fork',
              inner: [
                { type: 'str', key: 'type', help: '"buried" or "bip9"' },
                {
                  type: 'obj',
                  key: 'bip9',
                  optional: true,
                  help: 'State of a bip9 deployment',
                  inner: [
                    { type: 'str', key: 'status', help: '"defined", "started", "locked_in", "active" or "failed"' },
                    { type: 'num', key: 'bit', optional: true, help: 'Bit of the version, while started' },
                    { type: 'num-time', key: 'start_time', help: 'When signalling begins' },
                    { type: 'num-time', key: 'timeout', help: 'When it ends' },
                    { type: 'num', key: 'since', help: 'Height of the first block of this state' },
                    { type: 'num', key: 'min_activation_height', help: 'No activation below this height' },
                    {
                      type: 'obj',
                      key: 'statistics',
                      optional: true,
                      help: 'Signals in the running period, while started',
                      inner: [
                        { type: 'num', key: 'period', help: 'Blocks of a period' },
                        { type: 'num', key: 'threshold', help: 'Signals needed' },
                        { type: 'num', key: 'elapsed', help: 'Blocks so far' },
                        { type: 'num', key: 'count', help: 'Signals so far' },
                        { type: 'bool', key: 'possible', help: 'Whether the threshold can still be met' },
                      ],
                    },
                  ],
                },
                { type: 'num', key: 'height', optional: true, help: 'First height with the rule, when known' },
                { type: 'bool', key: 'active', help: 'Whether the next block must follow it' },
              ],
            },
          ],
        },
        { type: 'hex', key: 'signet_challenge', since: 29, optional: true, help: 'The block script of a signet' },
        ...NODE_WARNINGS,
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
