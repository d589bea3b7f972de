import { coinbaseLock } from '../../../consensus/rules/cleanup/coinbase-lock.js';
import { targetHex } from '../../../template/render-template.js';
import type { NodeRun } from '../../context/node.js';
import { hex32 } from '../../render/hex.js';
import type { gettemplateinfo as spec } from './gettemplateinfo.spec.js';

export const gettemplateinfo: NodeRun<typeof spec> = (_, ctx) => {
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
