// Declares gettemplateinfo.
import type { MethodSpec } from '../../declare/types.js';

export const gettemplateinfo: MethodSpec = {
  name: 'gettemplateinfo',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description: 'Facts of the next block without a template (not in Bitcoin Core): what a declared job is checked against. Builds nothing.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'previousblockhash', help: 'The tip' },
        { type: 'num', key: 'height', help: 'Height of the next block' },
        { type: 'num', key: 'version', help: 'Preferred block version' },
        { type: 'num-time', key: 'mintime', help: 'Least header time' },
        { type: 'num-time', key: 'curtime', help: 'Header time of a block made now' },
        { type: 'hex', key: 'bits', help: 'Compact target of a block with that time' },
        { type: 'hex', key: 'target', help: 'The same target in full' },
        { type: 'num', key: 'subsidy', help: 'Satoshis that a block without fees may take' },
        { type: 'num', key: 'sigoplimit', help: 'Limit of signature operations' },
        { type: 'num', key: 'weightlimit', optional: true, help: 'Limit of weight' },
        { type: 'num', key: 'coinbaselocktime', help: 'nLockTime of a coinbase that complies with BIP54' },
        { type: 'num', key: 'coinbasesequence', help: 'nSequence of its input' },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
