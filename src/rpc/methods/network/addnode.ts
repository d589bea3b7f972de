import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, none, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { commandOf } from '../../node/peers.js';

export const spec = declare({
  name: 'addnode',
  category: 'network',
  runs: 'node',
  description:
    'Connects to a peer. With "add" the node connects again whenever the connection is lost, with "onetry" it tries\nonce, with "remove" it stops connecting again.',
  args: [
    str('node', 'The peer, host or host:port.'),
    str('command', "'add', 'remove' or 'onetry'.", { as: 'json' }),
    bool('v2transport?', 'Whether to try encryption (BIP-0324) first (default: as -v2transport).'),
  ],
  results: [none()],
  examples: [{ cli: '"192.168.0.6:8333" "onetry"', rpc: '"192.168.0.6:8333", "onetry"' }],
});

export const addnode: NodeRun<typeof spec> = async (params, ctx) => {
  const command = commandOf(ctx, params.command, spec, ['onetry', 'add', 'remove']);
  const { node } = params;
  // The node would try to connect to an empty address forever.
  if (/^[ \f\n\r\t\v]*$/.test(node) && follows(ctx.compat, 32)) fail(RPC_CODE.INVALID_PARAMETER, 'Error: Node address cannot be empty');
  const { control } = ctx.network;
  const { v2transport: encrypted } = params;
  if (encrypted === true && !control.encrypts()) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Error: v2transport requested but not enabled (see -v2transport)');
  }
  if (command === 'onetry') {
    await control.connectOnce(node, encrypted);
  } else if (command === 'add') {
    if (!control.addNode(node, encrypted)) fail(RPC_CODE.CLIENT_NODE_ALREADY_ADDED, 'Error: Node already added');
  } else if (!control.removeNode(node)) {
    fail(RPC_CODE.CLIENT_NODE_NOT_ADDED, 'Error: Node could not be removed. It has not been added previously.');
  }
  return null;
};
