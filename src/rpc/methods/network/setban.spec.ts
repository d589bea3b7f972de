// Declares setban.
import type { MethodSpec } from '../../declare/types.js';

export const setban: MethodSpec = {
  name: 'setban',
  category: 'network',
  runs: 'node',
  description: 'Bans an address or subnet, or lifts a ban.',
  args: [
    { name: 'subnet', type: 'str', help: 'Address, or subnet with the bits or mask behind a slash; without one it is a single address.' },
    { name: 'command', type: 'str', help: "'add' or 'remove'." },
    { name: 'bantime', type: 'num', default: '0', help: 'Seconds the ban lasts; 0 takes -bantime.' },
    { name: 'absolute', type: 'bool', default: 'false', help: 'Read bantime as the end of the ban in seconds since 1970.' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [
    { cli: '"192.168.0.6" "add" 86400', rpc: '"192.168.0.6", "add", 86400' },
    { cli: '"192.168.0.0/24" "add"', rpc: '"192.168.0.0/24", "add"' },
  ],
};
