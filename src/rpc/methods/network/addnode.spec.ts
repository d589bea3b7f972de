// Declares addnode.
import type { MethodSpec } from '../../declare/types.js';

export const addnode: MethodSpec = {
  name: 'addnode',
  category: 'network',
  runs: 'node',
  description: 'Connects to a peer, now and again whenever the connection is lost (add), only once (onetry), or no longer (remove).',
  args: [
    { name: 'node', type: 'str', help: 'The peer, host or host:port.' },
    { name: 'command', type: 'str', help: "'add', 'remove' or 'onetry'." },
    { name: 'v2transport', type: 'bool', optional: true, help: 'Whether to try encryption (BIP-0324) first (default: as -v2transport).' },
  ],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"192.168.0.6:8333" "onetry"', rpc: '"192.168.0.6:8333", "onetry"' }],
};
