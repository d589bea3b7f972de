import { arr, bool, hex, none, num, obj, str } from '../../declare/parts.js';
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
    str('action', '"start" a scan, "abort" the one under way (true when there was one), or its "status" (null when there is none)'),
    arr('scanobjects?', 'What to look for; needed for "start"', { oneline: '[scanobjects,...]' }, SCAN_OBJECTS),
    num('start_height', 'Height of the first block', { default: '0' }),
    num('stop_height?', 'Height of the last block (default: the tip)'),
    str('filtertype', 'Which filters', { default: 'basic' }),
    obj('options?', '', { oneline: 'options', namedMembers: true }, [
      bool(
        'filter_false_positives',
        'Read the blocks that filters name and leave out those that have nothing; fails where they were deleted (pruned)',
        { default: 'false' },
      ),
    ]),
  ],
  results: [
    none({ when: 'When action is "status" and there is no scan' }),
    obj({ when: 'When action is "start"; after the scan' }, [
      num('from_height', 'Height of the first block'),
      num('to_height', 'Height of the last block that was looked at'),
      arr('relevant_blocks', 'Blocks that may concern the descriptors', [hex('A block hash')]),
      bool('completed', 'Whether the scan went to the end'),
    ]),
    obj({ when: 'When action is "status"' }, [
      num('progress', 'Percent of the blocks'),
      num('current_height', 'Height of the block that the scan is at'),
    ]),
    bool('Whether a scan was under way', { when: 'When action is "abort"' }),
  ],
  examples: [{ cli: `start '["addr(bcrt1q4u4nsgk6ug0sqz7r3rj9tykjxrsl0yy4d0wwte)"]' 300000` }, { cli: 'status', rpc: '"status"' }],
  waits: true,
};
