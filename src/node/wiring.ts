// Connects the modules: every subscription between modules is made here, and their order is visible here. A module has
// a method for each event that it follows, and subscribes to nothing by itself. Every listener has a name and runs
// behind the guard (lib/listener-guard.ts), here or in the module that calls it. The guard logs and counts an exception
// under the name; it does not reach the chain, the mempool or replies. The mempool is not a listener but a follower of
// the chain (follow-tip.ts).

import type { HeaderNode, TipChange, TipListener } from '../chain/index.js';
import type { WorkedTip } from '../link/messages.js';
import { STATE_FLAG } from '../link/shared-state.js';
import type { PoolListener } from '../mempool/index.js';
import type { Net } from '../net/index.js';
import { difficultyOf } from '../rpc/render/difficulty.js';
import { NewestBlock } from './block-figures.js';
import type { ClockWatch } from './clock-watch.js';
import { followTip } from './follow-tip.js';
import type { ForkWatch } from './fork-watch.js';
import type { Notifications } from './notifications.js';
import type { NodeBase } from './open-base.js';
import type { OpenedChain } from './open-chain.js';
import type { OpenedFronts } from './open-fronts.js';
import type { OpenedMempool } from './open-mempool.js';
import type { OpenedTemplates } from './open-templates.js';
import type { OpenedWallets } from './open-wallets.js';
import type { RuleWatch } from './rule-watch.js';
import { TipPublisher } from './tip-publisher.js';

/** Modules that open after the wiring. They receive events from then on. */
export interface LateModules {
  notifications?: Notifications;
  ruleWatch?: RuleWatch;
  clockWatch?: ClockWatch;
  forkWatch?: ForkWatch;
  net?: Net;
}

export interface WiredModules extends OpenedFronts, OpenedChain, OpenedMempool, OpenedTemplates, OpenedWallets {
  readonly late: LateModules;
}

export interface Wired {
  /** The newest block, for metrics. */
  readonly newest: NewestBlock;
  /** Publishes in shared memory whether the initial download is running. */
  showDownload(): void;
  /** Publishes the tip to the fronts. They answer nothing older afterwards. */
  showTip(): void;
}

const workedTip = (tip: HeaderNode): WorkedTip => ({
  height: tip.height,
  hashHex: tip.hashHex,
  difficulty: difficultyOf(tip.bits),
  chainWorkHex: tip.chainWork.toString(16).padStart(64, '0'),
});

/** Makes all subscriptions. Call it before anything can change the chain or the mempool. */
export function wire(base: NodeBase, modules: WiredModules): Wired {
  const { config, state, clock, log, guard, stop, teardown } = base;
  const { fronts, chain, indexes, blocks, mempool, templates, access, sv2, stratum, jobs, client, late } = modules;
  const newest = new NewestBlock();
  const showDownload = (): void => state.set(STATE_FLAG.INITIAL_BLOCK_DOWNLOAD, chain.view.isInitialBlockDownload());
  const showTip = (): void => {
    guard.run('fronts', () => fronts?.publishTip(workedTip(chain.view.tip)));
    state.raiseEpoch();
  };
  const publisher = new TipPublisher(() => {
    guard.run('templates', () => templates.onTip());
    showTip();
    guard.run('templates of batches', () => access.onTip(chain.view.tip.hashHex));
  });
  teardown.add(() => publisher.close());

  const showBlocks = ({ connected, disconnected }: TipChange): void => {
    const joined = connected.at(-1);
    if (joined) {
      newest.joined(joined);
      const { node, block, fees } = joined;
      const { weight, header } = block;
      blocks.add({ height: node.height, hash: node.hashHex, time: header.time, transactions: block.txs.length, weight, fees });
    }
    for (const { node } of disconnected) blocks.remove(node.hashHex);
  };
  const stopAtHeight = (height: number): void => {
    if (config.stopAtHeight === 0 || height < config.stopAtHeight || stop.signal.aborted) return;
    log.info(`Stopping at height ${height}, as -stopatheight asks`);
    stop.beginStop();
    stop.requestStop();
  };

  showDownload();

  // Tip changes: new work comes first.
  followTip({ ...modules, guard }, (change) => {
    // First, so that no client that knows this tip gets a cached reply about the previous one.
    state.noteBlockChange();
    if (change.moreFollows !== true) {
      guard.run('sv2', () => sv2?.onTip());
      guard.run('stratum', () => stratum?.onTip());
    }
    showDownload();
    publisher.changed(change.moreFollows === true, change.disconnected.length === 0);
  });
  const tipSequence: readonly (readonly [name: string, listener: TipListener])[] = [
    ['declared jobs', (tip) => jobs.expire(clock.nowSeconds(), tip.height)],
    ['status page', (_tip, change) => showBlocks(change)],
    ['stopatheight', (tip) => stopAtHeight(tip.height)],
    ['wallets', (tip, change) => client.onTip(tip, change)],
    ['notifications', (tip, change) => late.notifications?.onTip(tip, change)],
    ['unknown rules', () => late.ruleWatch?.onTip()],
    ['indexes', () => indexes.notifyTipChanged()],
    ['peers', (_tip, change) => late.net?.onTip(change)],
  ];
  for (const [name, listener] of tipSequence) chain.events.tip.add(listener, name);

  // An announced next tip change will not happen.
  chain.events.noMoreFollows.add(() => sv2?.onTip(), 'sv2');
  chain.events.noMoreFollows.add(() => stratum?.onTip(), 'stratum');
  chain.events.noMoreFollows.add(() => publisher.publishPending(), 'new work');

  // A new block on the tip passed all checks without coins.
  chain.events.stored.add((node, block) => late.net?.onStored(node, block), 'peers');

  // Verdicts about blocks.
  chain.events.checked.add((hash, block, reject) => late.net?.onChecked(hash, block, reject), 'peers');

  // The best header has changed.
  chain.events.header.add(() => state.noteChange(), 'fronts');

  // The history below a snapshot has advanced or is validated.
  chain.events.history.add(() => state.noteBlockChange(), 'fronts');
  // Fronts cache read jobs of stored blocks.
  chain.events.pruned.add(() => state.noteBlockChange(), 'fronts');
  chain.events.history.add(() => client.onHistory(), 'wallets');
  chain.events.history.add(() => indexes.notifyTipChanged(), 'indexes');

  // A transaction entered the mempool, left it, or changed its rank.
  const listenTo = (name: string, { added = () => {}, removed = () => {} }: Partial<Omit<PoolListener, 'changed'>>): void =>
    mempool.listen({ added, removed, changed() {} }, name);
  listenTo('sv2', { added: (entry) => sv2?.onEntered(entry) });
  listenTo('stratum', { added: (entry) => stratum?.onEntered(entry) });
  listenTo('wallets', { added: (entry) => client.onEntered(entry), removed: (entry, reason) => client.onLeft(entry, reason) });
  listenTo('notifications', {
    added: (entry) => late.notifications?.onEntered(entry),
    removed: (entry, reason) => late.notifications?.onLeft(entry, reason),
  });
  listenTo('peers', { removed: (entry, reason) => late.net?.onLeft(entry, reason) });
  mempool.onCounter((counter) => {
    state.mempoolCounter = counter;
    state.noteChange();
  });

  // The node itself announces a transaction.
  mempool.onBroadcast((entry) => late.net?.relay.announcer.relayTx(entry), 'peers');

  // A template was published.
  templates.onPublish((facts) => access.onTemplate(facts), 'templates of batches');
  templates.onPublish((facts) => {
    state.noteChange();
    fronts?.publishTemplate(facts);
  }, 'fronts');

  return { newest, showDownload, showTip };
}

/** Connects events of peers, which change what calls show. */
export function wireNet(net: Net, { state, guard }: NodeBase): void {
  net.events.on(
    'countChanged',
    guard.wrap('fronts', (count: number) => {
      state.connections = count;
      state.noteChange();
    }),
  );
  net.events.on(
    'stepped',
    guard.wrap('fronts', () => state.noteChange()),
  );
}
