import { declare } from '../../declare/parameters.js';
import { arr, bool, dyn, hash, hex, num, obj, str, time } from '../../declare/parts.js';

export const getdeploymentinfo = declare({
  name: 'getdeploymentinfo',
  since: 23,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the state of the soft forks at a block.',
  args: [hash('blockhash', 'The block', { default: 'the tip' })],
  results: [
    obj([
      hex('hash', 'The block hash'),
      num('height', 'Its height'),
      arr('script_flags', 'Script rules that apply in the block', { since: 31 }, [str('A rule')]),
      dyn('deployments', '', [
        obj('xxxx', 'Name of the soft fork', [
          str('type', '"buried" or "bip9"'),
          num('height?', 'First height at which the rule applies, if known'),
          bool('active', 'Whether the rule applies to the next block'),
          obj('bip9?', 'State of a bip9 deployment', [
            num('bit?', 'Bit in the block version (only if started or locked in)'),
            time('start_time', 'Median time at which signalling begins'),
            time('timeout', 'Median time at which signalling ends'),
            num('min_activation_height', 'Minimum height of activation'),
            str('status', '"defined", "started", "locked_in", "active" or "failed"'),
            num('since', 'Height of the first block of this state'),
            str('status_next', 'State of the next block'),
            obj('statistics?', 'Signals in the current period (only if started or locked in)', [
              num('period', 'Number of blocks in a period'),
              num('threshold?', 'Number of signals required (only if started)'),
              num('elapsed', 'Number of blocks in the current period so far'),
              num('count', 'Number of signals in the current period so far'),
              bool('possible?', 'Whether the threshold can still be reached (only if started)'),
            ]),
            str('signalling?', 'Blocks of the current period: # for each block that signals, - for the others'),
          ]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
