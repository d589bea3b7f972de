import type { ChainParams } from '../../../consensus/params/chain-params.js';
import { ALWAYS_ACTIVE, type Deployment, NEVER_ACTIVE } from '../../../consensus/params/deployment.js';
import { blockScriptFlags } from '../../../consensus/rules/block-script-flags.js';
import { deploymentSince, deploymentState, deploymentStatistics, signals } from '../../../consensus/rules/versionbits.js';
import {
  SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY,
  SCRIPT_VERIFY_CHECKSEQUENCEVERIFY,
  SCRIPT_VERIFY_DERSIG,
  SCRIPT_VERIFY_NULLDUMMY,
  SCRIPT_VERIFY_P2SH,
  SCRIPT_VERIFY_TAPROOT,
  SCRIPT_VERIFY_WITNESS,
} from '../../../consensus/script/flags.js';
import { shows } from '../../../policy/compat.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, dyn, hash, hex, num, obj, str, time } from '../../declare/parts.js';
import { buriedHeights } from '../../node/chain-info.js';
import { notFound } from '../../node/lookup.js';
import type { JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'getdeploymentinfo',
  since: 23,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the state of the soft forks at a block.',
  args: [hash('blockhash', 'The block', { default: 'the tip' })],
  results: [
    obj([
      hex('hash', 'The block hash'),
      num('height', 'Its height'),
      arr('script_flags', 'Script rules that apply in the block', { since: 31 }, [str('A rule')]),
      dyn('deployments', '', [
        obj('xxxx', 'Name of the soft fork', [
          str('type', '"buried" or "bip9"'),
          num('height?', 'First height at which the rule applies, if known'),
          bool('active', 'Whether the rule applies to the next block'),
          obj('bip9?', 'State of a bip9 deployment', [
            num('bit?', 'Bit in the block version (only if started or locked in)'),
            time('start_time', 'Median time at which signalling begins'),
            time('timeout', 'Median time at which signalling ends'),
            num('min_activation_height', 'Minimum height of activation'),
            str('status', '"defined", "started", "locked_in", "active" or "failed"'),
            num('since', 'Height of the first block of this state'),
            str('status_next', 'State of the next block'),
            obj('statistics?', 'Signals in the current period (only if started or locked in)', [
              num('period', 'Number of blocks in a period'),
              num('threshold?', 'Number of signals required (only if started)'),
              num('elapsed', 'Number of blocks in the current period so far'),
              num('count', 'Number of signals in the current period so far'),
              bool('possible?', 'Whether the threshold can still be reached (only if started)'),
            ]),
            str('signalling?', 'Blocks of the current period: # for each block that signals, - for the others'),
          ]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

/** Describes a deployment: its state for a block and for the next block. */
function deploymentMembers(ctx: NodeContext, deployment: Deployment, node: HeaderInfo): JsonResult {
  const { params, versionBits } = ctx.chain;
  const status = deploymentState(deployment, node.prev, params, versionBits);
  const next = deploymentState(deployment, node, params, versionBits);
  const activeSince =
    status === 'active'
      ? deploymentSince(deployment, node.prev, params, versionBits)
      : next === 'active'
        ? deploymentSince(deployment, node, params, versionBits)
        : undefined;
  const counted = (status === 'started' || status === 'locked_in') && deployment.startTime !== ALWAYS_ACTIVE;
  const signalled = counted ? signalsOf(deployment, node, status, params) : {};
  return {
    type: 'bip9',
    height: activeSince,
    active: activeSince !== undefined,
    bip9: {
      bit: counted ? deployment.bit : undefined,
      start_time: deployment.startTime,
      timeout: deployment.timeout,
      min_activation_height: deployment.minActivationHeight,
      status,
      since: deploymentSince(deployment, node.prev, params, versionBits),
      status_next: next,
      ...signalled,
    },
  };
}

/** Returns the members about the current period, which may take a look at 2,016 headers. */
function signalsOf(deployment: Deployment, node: HeaderInfo, status: string, params: ChainParams): Record<string, JsonResult> {
  const { period, threshold, elapsed, count, possible } = deploymentStatistics(deployment, node, params, true);
  const judged = status === 'started' ? { threshold, possible } : {};
  return { statistics: { period, elapsed, count, ...judged }, signalling: votesOf(deployment, node, period) };
}

/** Returns a character for each block of a period up to a given block: `#` if it signals, `-` if not. */
function votesOf({ bit }: Deployment, node: HeaderInfo, period: number): string {
  let votes = '';
  let at: HeaderInfo | null = node;
  for (let left = (node.height % period) + 1; left > 0 && at !== null; left--) {
    votes = (signals(at.version, bit) ? '#' : '-') + votes;
    at = at.prev;
  }
  return votes;
}

/** Names of script flags, in Core's order. */
const FLAG_NAMES: readonly (readonly [flag: number, name: string])[] = [
  [SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY, 'CHECKLOCKTIMEVERIFY'],
  [SCRIPT_VERIFY_CHECKSEQUENCEVERIFY, 'CHECKSEQUENCEVERIFY'],
  [SCRIPT_VERIFY_DERSIG, 'DERSIG'],
  [SCRIPT_VERIFY_NULLDUMMY, 'NULLDUMMY'],
  [SCRIPT_VERIFY_P2SH, 'P2SH'],
  [SCRIPT_VERIFY_TAPROOT, 'TAPROOT'],
  [SCRIPT_VERIFY_WITNESS, 'WITNESS'],
];

export const getdeploymentinfo: NodeRun<typeof spec> = ({ blockhash }, ctx) => {
  const { chain, compat } = ctx;
  const { params } = chain;
  const node: HeaderInfo = blockhash === undefined ? chain.tip : (chain.node(blockhash) ?? notFound());
  const flags = blockScriptFlags(node.prev, node.hash, params, chain.versionBits);
  const deployments: Record<string, JsonResult> = {};
  for (const [name, height] of buriedHeights(ctx)) deployments[name] = { type: 'buried', active: node.height + 1 >= height, height };
  for (const deployment of params.deployments) {
    // Release 32 no longer lists taproot.
    if (deployment.startTime === NEVER_ACTIVE || (deployment.name === 'taproot' && !shows(compat, { until: 32 }))) continue;
    deployments[deployment.name] = deploymentMembers(ctx, deployment, node);
  }
  const names = FLAG_NAMES.filter(([flag]) => (flags & flag) !== 0).map(([, name]) => name);
  return { hash: node.hashHex, height: node.height, script_flags: names, deployments };
};
