// Declares addconnection.
import type { MethodSpec } from '../../declare/types.js';

export const addconnection: MethodSpec = {
  name: 'addconnection',
  since: 22,
  category: 'hidden',
  runs: 'node',
  description: 'Connects to a peer as if it had been found among the known addresses. For tests.',
  args: [
    { name: 'address', type: 'str', help: 'Address and port' },
    { name: 'connection_type', type: 'str', help: '"outbound-full-relay", "block-relay-only", "addr-fetch" or "feeler"' },
    { name: 'v2transport', type: 'bool', since: 26, help: 'Whether to try encryption (BIP-0324)' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'address', help: 'The address' },
        { type: 'str', key: 'connection_type', help: 'The type' },
      ],
    },
  ],
  examples: [{ cli: '"192.168.0.6:8333" "outbound-full-relay" true', rpc: '"192.168.0.6:8333", "outbound-full-relay", true' }],
};
