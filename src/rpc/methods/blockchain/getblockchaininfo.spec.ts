import { NODE_WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, dyn, hex, num, obj, str, time } from '../../declare/parts.js';

export const getblockchaininfo = declare({
  name: 'getblockchaininfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the state of the block chain.',
  args: [],
  results: [
    obj([
      str('chain', 'Name of the chain (main, test, testnet4, signet, regtest)'),
      num('blocks', 'Height of the best validated chain'),
      num('headers', 'Height of the best header chain'),
      str('bestblockhash', 'Hash of the tip'),
      hex('bits', 'Compact target of the tip', { since: 29 }),
      hex('target', 'Target of the tip', { since: 29 }),
      num('difficulty', 'Difficulty of the tip'),
      time('time', 'Time of the tip', { since: 23 }),
      num('mediantime', 'Median time past of the tip'),
      num('verificationprogress', 'Estimated share of the chain that is verified, 0 to 1'),
      bool('initialblockdownload', 'Whether the node is in initial block download'),
      obj(
        'backgroundvalidation?',
        'Progress of the validation of the history below a snapshot. Absent when the history is validated',
        { since: 29 },
        [
          num('snapshotheight', "Height of the snapshot's block"),
          num('blocks', 'Height up to which the history is validated'),
          str('bestblockhash', 'Hash of the block at that height'),
          time('mediantime', 'Median time past of that block'),
          num('verificationprogress', 'Estimated share of the history that is validated, 0 to 1'),
          hex('chainwork', 'Total work up to that block'),
        ],
      ),
      hex('chainwork', 'Total work of the chain'),
      num('size_on_disk', 'Bytes of block and undo files'),
      bool('pruned', 'Whether old blocks are deleted'),
      num('pruneheight?', 'Lowest height from which on all blocks are stored (only with pruning)'),
      bool('automatic_pruning?', 'Whether pruning is automatic (only with pruning)'),
      num('prune_target_size?', 'Bytes that block and undo files may use (only with automatic pruning)'),
      dyn('softforks', 'State of the soft forks', { until: 24 }, [
        obj('xxxx', 'Name of the soft fork', [
          str('type', '"buried" or "bip9"'),
          obj('bip9?', 'State of a bip9 deployment', [
            str('status', '"defined", "started", "locked_in", "active" or "failed"'),
            num('bit?', 'Bit in the block version (only if started)'),
            time('start_time', 'Median time at which signalling begins'),
            time('timeout', 'Median time at which signalling ends'),
            num('since', 'Height of the first block of this state'),
            num('min_activation_height', 'Minimum height of activation'),
            obj('statistics?', 'Signals in the current period (only if started)', [
              num('period', 'Number of blocks in a period'),
              num('threshold', 'Number of signals required'),
              num('elapsed', 'Number of blocks in the current period so far'),
              num('count', 'Number of signals in the current period so far'),
              bool('possible', 'Whether the threshold can still be reached'),
            ]),
          ]),
          num('height?', 'First height at which the rule applies, if known'),
          bool('active', 'Whether the rule applies to the next block'),
        ]),
      ]),
      hex('signet_challenge?', 'The challenge (block script) of a signet', { since: 29 }),
      ...NODE_WARNINGS,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
