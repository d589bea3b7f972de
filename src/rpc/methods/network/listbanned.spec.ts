import { arr, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listbanned: MethodSpec = {
  name: 'listbanned',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'The bans set by hand.',
  args: [],
  results: [
    arr([
      obj([
        str('address', 'Address or subnet'),
        num('banned_until', 'End of the ban, seconds since 1970'),
        num('ban_created', 'When it was set'),
        num('ban_duration', 'Seconds from one to the other', { since: 22 }),
        num('time_remaining', 'Seconds until its end', { since: 22 }),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
