import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, none, num, obj, str } from '../../declare/parts.js';
import { FILTER_TYPE_ARG, SCAN_OBJECTS } from '../../declare/scan-parts.js';
import { RPC_CODE } from '../../errors.js';

export const scanblocks = declare({
  name: 'scanblocks',
  category: 'blockchain',
  runs: 'node',
  since: 25,
  description:
    'Returns blocks that may concern the given descriptors, according to their filters. Requires -blockfilterindex.\nAbout one of 785,000 pairs of a script and a block matches by mistake, unless filter_false_positives is set.',
  args: [
    str(
      'action',
      '"start" starts a scan. "abort" stops the current scan and returns true, or false without a scan. "status" returns the progress, or null\nwithout a scan',
      { oneOf: ['start', 'abort', 'status'], refusal: { code: RPC_CODE.INVALID_PARAMETER, text: "Invalid action '%s'" } },
    ),
    arr('scanobjects?', 'The descriptors to search for. Required for "start"', { oneline: '[scanobjects,...]' }, SCAN_OBJECTS),
    num('start_height', 'Height of the first block', { default: '0' }),
    num('stop_height?', 'Height of the last block (default: the tip)'),
    { ...FILTER_TYPE_ARG, help: 'Type of the filters' },
    obj('options?', '', { oneline: 'options', namedMembers: true }, [
      bool('filter_false_positives', 'Read the matching blocks and omit those that match by mistake. Fails if they were pruned', {
        default: 'false',
      }),
    ]),
  ],
  results: [
    none({ when: 'When action is "status" and there is no scan' }),
    obj({ when: 'When action is "start"; after the scan' }, [
      num('from_height', 'Height of the first block'),
      num('to_height', 'Height of the last scanned block'),
      arr('relevant_blocks', 'Blocks that may concern the descriptors', [hex('A block hash')]),
      bool('completed', 'Whether the scan was completed'),
    ]),
    obj({ when: 'When action is "status"' }, [
      num('progress', 'Progress in percent'),
      num('current_height', 'Height of the block that is being scanned'),
    ]),
    bool('Whether a scan was running', { when: 'When action is "abort"' }),
  ],
  examples: [{ cli: `start '["addr(bcrt1q4u4nsgk6ug0sqz7r3rj9tykjxrsl0yy4d0wwte)"]' 300000` }, { cli: 'status', rpc: '"status"' }],
  waits: true,
});
