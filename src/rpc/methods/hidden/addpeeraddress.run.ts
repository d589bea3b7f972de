// Runs addpeeraddress.
import { asInt, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';

export const addpeeraddress: NodeRun = (ctx, args) => {
  const address = asString(args[0]);
  const port = asInt(args[1]);
  return { success: ctx.network.control.addAddress(address, port) };
};
