// Declares scanblocks.
import { SCAN_OBJECTS } from '../../declare/scan-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const scanblocks: MethodSpec = {
  name: 'scanblocks',
  category: 'blockchain',
  runs: 'node',
  since: 25,
  description:
    'Finds blocks that may concern some descriptors, by their filters; needs -blockfilterindex. Of some 785,000 scripts and blocks\none is named that does not, unless filter_false_positives is set.',
  args: [
    {
      name: 'action',
      type: 'str',
      help: '"start" a scan, "abort" the one under way (true when there was one), or its "status" (null when there is none)',
    },
    {
      name: 'scanobjects',
      type: 'arr',
      optional: true,
      help: 'What to look for; needed for "start"',
      oneline: '[scanobjects,...]',
      inner: SCAN_OBJECTS,
    },
    { name: 'start_height', type: 'num', default: '0', help: 'Height of the first block' },
    { name: 'stop_height', type: 'num', optional: true, help: 'Height of the last block (default: the tip)' },
    { name: 'filtertype', type: 'str', default: 'basic', help: 'Which filters' },
    {
      name: 'options',
      type: 'obj',
      optional: true,
      oneline: 'options',
      namedMembers: true,
      help: '',
      inner: [
        {
          name: 'filter_false_positives',
          type: 'bool',
          default: 'false',
          help: 'Read the blocks that filters name and leave out those that have nothing; fails where they were deleted (pruned)',
        },
      ],
    },
  ],
  results: [
    { type: 'none', when: 'When action is "status" and there is no scan', help: '' },
    {
      type: 'obj',
      when: 'When action is "start"; after the scan',
      help: '',
      inner: [
        { type: 'num', key: 'from_height', help: 'Height of the first block' },
        { type: 'num', key: 'to_height', help: 'Height of the last block that was looked at' },
        {
          type: 'arr',
          key: 'relevant_blocks',
          help: 'Blocks that may concern the descriptors',
          inner: [{ type: 'hex', help: 'A block hash' }],
        },
        { type: 'bool', key: 'completed', help: 'Whether the scan went to the end' },
      ],
    },
    {
      type: 'obj',
      when: 'When action is "status"',
      help: '',
      inner: [
        { type: 'num', key: 'progress', help: 'Percent of the blocks' },
        { type: 'num', key: 'current_height', help: 'Height of the block that the scan is at' },
      ],
    },
    { type: 'bool', when: 'When action is "abort"', help: 'Whether a scan was under way' },
  ],
  examples: [{ cli: `start '["addr(bcrt1q4u4nsgk6ug0sqz7r3rj9tykjxrsl0yy4d0wwte)"]' 300000` }, { cli: 'status', rpc: '"status"' }],
  waits: true,
};
