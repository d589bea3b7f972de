// Runs addpeeraddress.
import { asBool, asInt, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';

export const addpeeraddress: NodeRun = (ctx, args) => {
  const address = asString(args[0]);
  const port = asInt(args[1]);
  const isTried = (args[2] ?? null) !== null && asBool(args[2]);
  const error = ctx.network.control.addAddress(address, port, isTried);
  return error === null ? { success: true } : { success: false, error };
};
