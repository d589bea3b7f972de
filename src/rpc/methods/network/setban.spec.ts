import { bool, none, num, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const setban: MethodSpec = {
  name: 'setban',
  category: 'network',
  runs: 'node',
  description: 'Bans an address or subnet, or lifts a ban.',
  args: [
    str('subnet', 'Address, or subnet with the bits or mask behind a slash; without one it is a single address.'),
    str('command', "'add' or 'remove'."),
    num('bantime', 'Seconds the ban lasts; 0 takes -bantime.', { default: '0' }),
    bool('absolute', 'Read bantime as the end of the ban in seconds since 1970.', { default: 'false' }),
  ],
  results: [none()],
  examples: [
    { cli: '"192.168.0.6" "add" 86400', rpc: '"192.168.0.6", "add", 86400' },
    { cli: '"192.168.0.0/24" "add"', rpc: '"192.168.0.0/24", "add"' },
  ],
};
