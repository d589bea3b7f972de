import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, num, obj, str } from '../../declare/parts.js';

export const spec = declare({
  name: 'listbanned',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Returns all bans that setban has set.',
  args: [],
  results: [
    arr([
      obj([
        str('address', 'Address or subnet'),
        num('banned_until', 'End of the ban, seconds since 1970'),
        num('ban_created', 'Time at which the ban was set'),
        num('ban_duration', 'Duration of the ban in seconds', { since: 22 }),
        num('time_remaining', 'Seconds until the ban ends', { since: 22 }),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const listbanned: NodeRun<typeof spec> = (_, ctx) =>
  ctx.network.control.bans().map(({ address, until, createdAt }) => ({
    address,
    banned_until: until,
    ban_created: createdAt,
    ban_duration: until - createdAt,
    time_remaining: until - ctx.clock.nowSeconds(),
  }));
