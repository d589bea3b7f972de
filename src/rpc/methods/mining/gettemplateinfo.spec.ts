import { hex, num, obj, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const gettemplateinfo: MethodSpec = {
  name: 'gettemplateinfo',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description: 'Facts of the next block without a template (not in Bitcoin Core): what a declared job is checked against. Builds nothing.',
  args: [],
  results: [
    obj([
      hex('previousblockhash', 'The tip'),
      num('height', 'Height of the next block'),
      num('version', 'Preferred block version'),
      time('mintime', 'Least header time'),
      time('curtime', 'Header time of a block made now'),
      hex('bits', 'Compact target of a block with that time'),
      hex('target', 'The same target in full'),
      num('subsidy', 'Satoshis that a block without fees may take'),
      num('sigoplimit', 'Limit of signature operations'),
      num('weightlimit?', 'Limit of weight'),
      num('coinbaselocktime', 'nLockTime of a coinbase that complies with BIP54'),
      num('coinbasesequence', 'nSequence of its input'),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
