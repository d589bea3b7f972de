import { coinbaseLock } from '../../../consensus/rules/cleanup/coinbase-lock.js';
import { targetHex } from '../../../template/render-template.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, num, obj, time } from '../../declare/parts.js';
import { hex32 } from '../../render/hex.js';

export const spec = declare({
  name: 'gettemplateinfo',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Returns the data of the next block against which declared jobs are checked, without a template (not in Bitcoin\nCore). The call builds nothing.',
  args: [],
  results: [
    obj([
      hex('previousblockhash', 'The tip'),
      num('height', 'Height of the next block'),
      num('version', 'Preferred block version'),
      time('mintime', 'Earliest header time'),
      time('curtime', 'Header time of a block made now'),
      hex('bits', 'Compact target of a block with that time'),
      hex('target', 'The same target in full'),
      num('subsidy', 'Block subsidy in satoshis'),
      num('sigoplimit', 'Limit of signature operations'),
      num('weightlimit?', 'Limit of weight'),
      num('coinbaselocktime', 'nLockTime of a coinbase that complies with BIP54'),
      num('coinbasesequence', 'nSequence of the input of that coinbase'),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

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
