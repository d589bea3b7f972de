import { declare } from '../../declare/parameters.js';
import { num, obj, str } from '../../declare/parts.js';
import { RPC_CODE } from '../../errors.js';

export const getmemoryinfo = declare({
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
