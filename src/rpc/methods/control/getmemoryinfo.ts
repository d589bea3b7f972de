import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
  name: 'getmemoryinfo',
  category: 'control',
  runs: 'node',
  repeatable: true,
  description: 'Returns figures about memory use.',
  args: [
    str('mode', 'The mode:\n- "stats" returns general figures\n- "mallocinfo" returns XML about the heap', {
      oneOf: ['stats', 'mallocinfo'],
      refusal: { code: RPC_CODE.INVALID_PARAMETER, text: 'unknown mode %s' },
      default: '"stats"',
    }),
  ],
  results: [
    obj({ when: 'mode "stats"' }, [
      obj('locked', 'Memory that is locked, so that the system does not swap it out', [
        num('used', 'Bytes used'),
        num('free', 'Bytes available'),
        num('total', 'Total bytes'),
        num('locked', 'Bytes that were successfully locked'),
        num('chunks_used', 'Chunks in use'),
        num('chunks_free', 'Free chunks'),
      ]),
    ]),
    str('"<malloc version="1">..."', { when: 'mode "mallocinfo"' }),
  ],
  examples: [{ cli: '', rpc: '' }],
});

/** Returns zeros, because this call reports locked memory pages, and adit locks none. */
export const getmemoryinfo: NodeRun<typeof spec> = ({ mode }) => {
  if (mode === 'stats') return { locked: { used: 0, free: 0, total: 0, locked: 0, chunks_used: 0, chunks_free: 0 } };
  return fail(RPC_CODE.INVALID_PARAMETER, 'mallocinfo is only available when compiled with glibc 2.10+');
};
