// The chain in the words of RPC. Callers: node/start.
import type { Chain } from '../chain/chain.js';
import { type HeaderNode, NodeStatus } from '../chain/header-node.js';
import { deploymentSince, deploymentState, deploymentStatistics, type VersionBitsCache } from '../consensus/rules/versionbits.js';
import type { BlockState, ChainAccess, CoinsStats, DeploymentState, HeaderInfo } from '../rpc/node/context.js';

/** What besides the chain itself is needed. */
export interface ChainAccessDeps {
  readonly versionBits: VersionBitsCache;
  /** Bytes of block and undo files. */
  readonly sizeOnDisk: () => number | Promise<number>;
  readonly warnings: () => string;
  /** Told of every block handed in by RPC: accepted, duplicate, inconclusive, or the reason it was refused. */
  readonly onSubmitted: (outcome: string) => void;
}

/** Every header that RPC holds came from this chain. */
const own = (node: HeaderInfo): HeaderNode => node as HeaderNode;

export function createChainAccess(chain: Chain, deps: ChainAccessDeps): ChainAccess {
  return {
    params: chain.params,
    get tip() {
      return chain.tip;
    },
    get genesis() {
      return chain.genesis;
    },
    get bestHeader() {
      return chain.bestHeader;
    },
    node: (hash) => chain.node(hash),
    atHeight: (height) => chain.atHeight(height),
    contains: (node) => chain.contains(own(node)),
    blockState: (node): BlockState => {
      const header = own(node);
      return {
        failed: header.failed,
        hasData: header.has(NodeStatus.HAVE_DATA),
        hasUndo: header.has(NodeStatus.HAVE_UNDO),
        valid: header.has(NodeStatus.SCRIPTS_VALID),
      };
    },
    isInitialBlockDownload: () => chain.isInitialBlockDownload(),
    verificationProgress: (node: HeaderInfo) => chain.verificationProgress(own(node)),
    submitBlock: async (bytes, options) => {
      const outcome = await chain.submitBlock(bytes, options);
      deps.onSubmitted(outcome.reject?.reason ?? outcome.kind);
      return outcome;
    },
    submitHeader: (bytes) => chain.submitHeader(bytes),
    testBlockValidity: (block, options) => chain.testBlockValidity(block, options),
    invalidateBlock: async (node) => {
      await chain.invalidateBlock(own(node));
      return null;
    },
    reconsiderBlock: async (node) => {
      await chain.reconsiderBlock(own(node));
      return null;
    },
    preciousBlock: async (node) => {
      await chain.preciousBlock(own(node));
      return null;
    },
    readBlock: (node) => chain.readBlock(own(node)),
    readUndo: (node) => chain.readUndo(own(node)),
    coin: (outpoint) => chain.coin(outpoint),
    coinsStats: async ({ hashSerialized }): Promise<CoinsStats> => {
      const stats = await chain.coinsStats(hashSerialized ? 'hash_serialized_2' : 'none');
      return {
        height: stats.height,
        bestBlock: stats.bestBlock.hash,
        transactions: stats.transactions,
        outputs: stats.outputs,
        bogoSize: stats.bogoSize,
        hashSerialized: hashSerialized ? stats.hashSerialized : null,
        diskSize: stats.diskSize,
        totalSats: Number(stats.totalAmount),
      };
    },
    tips: () => chain.tips().map((end) => end.node),
    verifyChain: (level, blocks) => chain.verifyChain(level, blocks),
    sizeOnDisk: deps.sizeOnDisk,
    deployments: () => deployments(chain, deps.versionBits),
    warnings: deps.warnings,
    onTipChange: (listener) => chain.onTip((tip) => listener(tip)),
  };
}

function deployments(chain: Chain, cache: VersionBitsCache): DeploymentState[] {
  const { params, tip } = chain;
  return params.deployments.map((deployment) => {
    const status = deploymentState(deployment, tip, params, cache);
    return {
      name: deployment.name,
      bit: deployment.bit,
      status,
      startTime: deployment.startTime,
      timeout: deployment.timeout,
      since: deploymentSince(deployment, tip, params, cache),
      minActivationHeight: deployment.minActivationHeight,
      ...(status === 'started' ? { statistics: deploymentStatistics(deployment, tip, params) } : {}),
    };
  });
}
