import { arr, bool, dyn, elision, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getdeploymentinfo: MethodSpec = {
  name: 'getdeploymentinfo',
  since: 23,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  kept: true,
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
          obj('bip9?', 'State of a bip9 deployment', [elision('As in getblockchaininfo, with status_next and signalling')]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
