import { declare } from '../../declare/parameters.js';
import { bool, none, num, str } from '../../declare/parts.js';

export const setban = declare({
  name: 'setban',
  category: 'network',
  runs: 'node',
  description: 'Bans an address or subnet, or removes a ban.',
  args: [
    str('subnet', 'An address, or a subnet with a slash and its bits or mask'),
    str('command', "'add' or 'remove'.", { as: 'json' }),
    num('bantime', 'Duration of the ban in seconds. 0 means -bantime', { as: 'int64', default: '0' }),
    bool('absolute', 'Whether bantime is the end of the ban, in seconds since 1970', { default: 'false' }),
  ],
  results: [none()],
  examples: [
    { cli: '"192.168.0.6" "add" 86400', rpc: '"192.168.0.6", "add", 86400' },
    { cli: '"192.168.0.0/24" "add"', rpc: '"192.168.0.0/24", "add"' },
  ],
});
