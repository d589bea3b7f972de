// Declares listbanned.
import type { MethodSpec } from '../../declare/types.js';

export const listbanned: MethodSpec = {
  name: 'listbanned',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'The bans set by hand.',
  args: [],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'str', key: 'address', help: 'Address or subnet' },
            { type: 'num', key: 'banned_until', help: 'End of the ban, seconds since 1970' },
            { type: 'num', key: 'ban_created', help: 'When it was set' },
            { type: 'num', key: 'ban_duration', since: 22, help: 'Seconds from one to the other' },
            { type: 'num', key: 'time_remaining', since: 22, help: 'Seconds until its end' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
