import { coinbaseLock } from '../../../consensus/rules/cleanup/coinbase-lock.js';
import { targetHex } from '../../../template/render-template.js';
import type { NodeContext } from '../../context/node.js';
import type { Run } from '../../dispatch.js';
import { hex32 } from '../../render/hex.js';

export const gettemplateinfo: Run<NodeContext> = (ctx) => {
  const { facts, curtime, bits } = ctx.templates.next();
  const { locktime, sequence } = coinbaseLock(facts.height);
  return {
    previousblockhash: facts.prevHashHex,
    height: facts.height,
    version: facts.version,
    mintime: facts.minTime,
    curtime,
    bits: hex32(bits),
    target: targetHex(bits),
    subsidy: facts.subsidy,
    sigoplimit: facts.sigopLimit,
    weightlimit: facts.weightLimit ?? undefined,
    coinbaselocktime: locktime,
    coinbasesequence: sequence,
  };
};
