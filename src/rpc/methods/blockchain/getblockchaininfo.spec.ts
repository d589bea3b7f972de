import { NODE_WARNINGS } from '../../declare/members.js';
import { bool, dyn, hex, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getblockchaininfo: MethodSpec = {
  name: 'getblockchaininfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Facts about the state of the chain.',
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
      bool('initialblockdownload', 'Whether the node is still catching up'),
      obj('backgroundvalidation?', 'How far the history below a snapshot is validated, while it is not', { since: 29 }, [
        num('snapshotheight', "Height of the snapshot's block"),
        num('blocks', 'Height up to which the history is validated'),
        str('bestblockhash', 'Hash of the block there'),
        time('mediantime', 'Its median time past'),
        num('verificationprogress', 'Estimated share of the history that is validated, 0 to 1'),
        hex('chainwork', 'All work up to there'),
      ]),
      hex('chainwork', 'All work of the chain'),
      num('size_on_disk', 'Bytes of block and undo files'),
      bool('pruned', 'Whether old blocks are deleted'),
      num('pruneheight?', 'Height from which on all blocks are stored, when old ones are deleted'),
      bool('automatic_pruning?', 'Whether they are deleted unasked, when old ones are deleted'),
      num('prune_target_size?', 'Bytes that block and undo files may take, when deleted unasked'),
      dyn('softforks', 'State of the soft forks', { until: 24 }, [
        obj('xxxx', 'Name of the soft fork', [
          str('type', '"buried" or "bip9"'),
          obj('bip9?', 'State of a bip9 deployment', [
            str('status', '"defined", "started", "locked_in", "active" or "failed"'),
            num('bit?', 'Bit of the version, while started'),
            time('start_time', 'When signalling begins'),
            time('timeout', 'When it ends'),
            num('since', 'Height of the first block of this state'),
            num('min_activation_height', 'No activation below this height'),
            obj('statistics?', 'Signals in the running period, while started', [
              num('period', 'Blocks of a period'),
              num('threshold', 'Signals needed'),
              num('elapsed', 'Blocks so far'),
              num('count', 'Signals so far'),
              bool('possible', 'Whether the threshold can still be met'),
            ]),
          ]),
          num('height?', 'First height with the rule, when known'),
          bool('active', 'Whether the next block must follow it'),
        ]),
      ]),
      hex('signet_challenge?', 'The block script of a signet', { since: 29 }),
      ...NODE_WARNINGS,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
