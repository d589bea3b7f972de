// Core: rpc/misc.cpp.
import type { NodeRun } from '../../context/node.js';
import { parse } from '../../node/descriptors.js';
import type { getdescriptorinfo as spec } from './getdescriptorinfo.spec.js';

export const getdescriptorinfo: NodeRun<typeof spec> = ({ descriptor }, ctx, call) => {
  const { descriptors, secrets, checksum } = parse(ctx, descriptor, call, false);
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
