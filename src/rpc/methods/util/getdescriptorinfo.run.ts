// Core: rpc/misc.cpp.
import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { parse } from '../../node/descriptors.js';

export const getdescriptorinfo: Run<NodeContext> = (ctx, args, call) => {
  const { descriptors, secrets, checksum } = parse(ctx, args[0], call, false);
  const texts = descriptors.map(String);
  const [first] = descriptors;
  const result = {
    descriptor: texts[0],
    multipath_expansion: texts.length > 1 ? texts : undefined,
    checksum,
    isrange: first.isRange,
    issolvable: first.isSolvable,
    hasprivatekeys: secrets.size > 0,
  };
  secrets.wipe();
  return result;
};
