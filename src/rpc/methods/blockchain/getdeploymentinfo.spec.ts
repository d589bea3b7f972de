import { arr, bool, dyn, hex, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getdeploymentinfo: MethodSpec = {
  name: 'getdeploymentinfo',
  since: 23,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'State of the soft forks in a block.',
  args: [hex('blockhash', 'The block', { default: 'the tip' })],
  results: [
    obj([
      hex('hash', 'The block hash'),
      num('height', 'Its height'),
      arr('script_flags', 'Script rules that hold in it', { since: 31 }, [str('A rule')]),
      dyn('deployments', '', [
        obj('xxxx', 'Name of the soft fork', [
          str('type', '"buried" or "bip9"'),
          num('height?', 'First height with the rule, when known'),
          bool('active', 'Whether the next block must follow it'),
          obj('bip9?', 'State of a bip9 deployment', [
            num('bit?', 'Bit of the version, while started or locked in'),
            time('start_time', 'Median time at which signalling begins'),
            time('timeout', 'Median time at which signalling ends'),
            num('min_activation_height', 'Minimum height of activation'),
            str('status', '"defined", "started", "locked_in", "active" or "failed"'),
            num('since', 'Height of the first block of this state'),
            str('status_next', 'State of the next block'),
            obj('statistics?', 'Signals in the running period, while started or locked in', [
              num('period', 'Blocks of a period'),
              num('threshold?', 'Signals needed, while started'),
              num('elapsed', 'Blocks so far'),
              num('count', 'Signals so far'),
              bool('possible?', 'Whether the threshold can still be met, while started'),
            ]),
            str('signalling?', 'Blocks of the running period, # for those that signal and - for the others'),
          ]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
