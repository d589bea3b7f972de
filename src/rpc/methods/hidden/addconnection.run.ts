import type { FoundType } from '../../context/network.js';
import type { NodeRun } from '../../context/node.js';
import { methodsOf } from '../../declare/methods.js';
import { fail, RPC_CODE } from '../../errors.js';
import { renderHelp } from '../../help.js';
import { regtestOnly } from '../../node/control.js';
import type { addconnection as spec } from './addconnection.spec.js';

const FOUND_TYPES: readonly FoundType[] = ['outbound-full-relay', 'block-relay-only', 'addr-fetch', 'feeler'];

export const addconnection: NodeRun<typeof spec> = async (params, ctx) => {
  regtestOnly(ctx, 'addconnection');
  const { address } = params;
  const words = params.connection_type.trim();
  const type = FOUND_TYPES.find((one) => one === words);
  if (type === undefined) {
    const spec = methodsOf(true, ctx.compat).get('addconnection');
    return fail(RPC_CODE.INVALID_PARAMETER, spec === undefined ? '' : renderHelp(spec));
  }
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
