import { declare } from '../../declare/parameters.js';
import { hex, num, obj, time } from '../../declare/parts.js';

export const gettemplateinfo = declare({
  name: 'gettemplateinfo',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Returns the data of the next block against which declared jobs are checked, without a template (not in Bitcoin\nCore). The call builds nothing.',
  args: [],
  results: [
    obj([
      hex('previousblockhash', 'The tip'),
      num('height', 'Height of the next block'),
      num('version', 'Preferred block version'),
      time('mintime', 'Earliest header time'),
      time('curtime', 'Header time of a block made now'),
      hex('bits', 'Compact target of a block with that time'),
      hex('target', 'The same target in full'),
      num('subsidy', 'Block subsidy in satoshis'),
      num('sigoplimit', 'Limit of signature operations'),
      num('weightlimit?', 'Limit of weight'),
      num('coinbaselocktime', 'nLockTime of a coinbase that complies with BIP54'),
      num('coinbasesequence', 'nSequence of the input of that coinbase'),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
