import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { commandOf } from '../../node/peers.js';
import type { addnode as spec } from './addnode.spec.js';

export const addnode: NodeRun<typeof spec> = async (params, ctx) => {
  const command = commandOf(ctx, params.command, 'addnode', ['onetry', 'add', 'remove']);
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
