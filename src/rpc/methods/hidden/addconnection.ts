import type { FoundType } from '../../context/network.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';
import { versioned } from '../../declare/versions.js';
import { fail, RPC_CODE } from '../../errors.js';
import { renderHelp } from '../../help.js';
import { regtestOnly } from '../../node/control.js';

export const spec = declare({
  name: 'addconnection',
  since: 22,
  category: 'hidden',
  runs: 'node',
  description: 'Opens a connection to a peer as if the node had chosen the peer itself. For testing only.',
  args: [
    str('address', 'Address and port'),
    str('connection_type', '"outbound-full-relay", "block-relay-only", "addr-fetch" or "feeler"'),
    bool('v2transport', 'Whether to try encryption (BIP-0324)', { since: 26 }),
  ],
  results: [obj([str('address', 'The address'), str('connection_type', 'The type')])],
  examples: [{ cli: '"192.168.0.6:8333" "outbound-full-relay" true', rpc: '"192.168.0.6:8333", "outbound-full-relay", true' }],
});

const FOUND_TYPES: readonly FoundType[] = ['outbound-full-relay', 'block-relay-only', 'addr-fetch', 'feeler'];

export const addconnection: NodeRun<typeof spec> = async (params, ctx) => {
  regtestOnly(ctx, 'addconnection');
  const { address } = params;
  const words = params.connection_type.trim();
  const type = FOUND_TYPES.find((one) => one === words);
  if (type === undefined) return fail(RPC_CODE.INVALID_PARAMETER, renderHelp(versioned(spec, ctx.compat)));
  const encrypted = params.args.length > 2 && params.v2transport;
  const { control } = ctx.network;
  if (encrypted && !control.encrypts()) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Error: Adding v2transport connections requires -v2transport init flag to be set.');
  }
  if (!(await control.openConnection(address, type, encrypted))) {
    fail(RPC_CODE.CLIENT_NODE_CAPACITY_REACHED, 'Error: Already at capacity for specified connection type.');
  }
  return { address, connection_type: type };
};
