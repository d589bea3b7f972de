// Notifies external programs of events of chain and mempool: ZeroMQ, commands and webhooks.
import type { Chain, ConnectedBlock, TipListener } from '../chain/index.js';
import { ConfigError, type NodeConfig } from '../config/index.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import type { Logger } from '../log/logger.js';
import type { Mempool, MempoolEntry, RemovalReason } from '../mempool/index.js';
import { type HookEvent, Hooks, quoted, type ShownEndpoint, Webhooks, ZmqPublisher } from '../notify/index.js';

export interface Notifications {
  /** Endpoints for getzmqnotifications. */
  readonly zmq: readonly ShownEndpoint[];
  /** Called when the node is up. */
  started(): void;
  onTip: TipListener;
  /** Called when a transaction entered the mempool. */
  onEntered(entry: MempoolEntry): void;
  onLeft(entry: MempoolEntry, reason: RemovalReason): void;
  /** Publishes records of shares (stratum/serve/share-stream.ts). */
  onShares(records: Uint8Array): void;
  /** Reports a problem to the operator (-alertnotify). */
  alert(text: string): void;
  close(): void;
}

/** Hashes are published in display order. */
const displayed = (hash: Uint8Array): Buffer => Buffer.from(hash).reverse();

function sequenceBody(hash: Uint8Array, label: 'C' | 'D' | 'A' | 'R', mempoolSequence?: number): Buffer {
  const body = Buffer.alloc(mempoolSequence === undefined ? 33 : 41);
  displayed(hash).copy(body);
  body.write(label, 32, 'latin1');
  if (mempoolSequence !== undefined) body.writeBigUInt64LE(BigInt(mempoolSequence), 33);
  return body;
}

/**
 * Opens all configured notifications.
 * @throws ConfigError if an address cannot be bound
 */
export async function startNotifications(
  config: NodeConfig['notify'],
  { chain, mempool, log, guard }: { chain: Chain; mempool: Mempool; log: Logger; guard: ListenerGuard },
): Promise<Notifications> {
  const zmq = await ZmqPublisher.open(config.zmq, log, guard).catch((error: Error) => {
    throw new ConfigError(error.message);
  });
  const hooks = new Hooks(log);
  const webhooks = new Webhooks(config.urls, log);
  const publishTx = (txid: Uint8Array, bytes: Uint8Array): void => {
    zmq.publish('hashtx', displayed(txid));
    // Copy: the bytes are a view of a whole block, or of memory that the mempool reuses.
    if (zmq.wants('rawtx')) zmq.publish('rawtx', Buffer.from(bytes));
  };
  const publishBlock = ({ node, block }: ConnectedBlock, label: 'C' | 'D'): void => {
    if (zmq.wants('hashtx') || zmq.wants('rawtx')) for (const tx of block.txs) publishTx(tx.txid, tx.bytes);
    if (zmq.wants('sequence')) zmq.publish('sequence', sequenceBody(node.hash, label));
  };
  /** Publications that wait until the mempool has accepted the transactions of disconnected blocks; null: none wait. */
  let held: (() => void)[] | null = null;
  const release = (): void => {
    const publications = held ?? [];
    held = null;
    for (const publish of publications) guard.run('zmq', publish);
  };
  /** Publishes now, or after the transactions that return to the mempool, as Core does. */
  const inOrder = (publish: () => void): void => {
    if (held === null && !mempool.returning) {
      guard.run('zmq', publish);
      return;
    }
    if (held === null) {
      held = [];
      mempool.settled().then(release, release);
    }
    held.push(publish);
  };
  const run = (event: 'block' | 'startup' | 'alert', commands: readonly string[], value?: string): void => {
    for (const command of commands) guard.run(`${event}notify`, () => hooks.run(`${event}notify`, command, value));
  };
  const send = (event: HookEvent): void => void guard.run('notifyurl', () => webhooks.send(event));
  const onTip: TipListener = (tip, { connected, disconnected }) => {
    const newest = connected.at(-1);
    const announced = newest?.node === tip && !chain.view.isInitialBlockDownload() ? newest : undefined;
    const publishLeft = (): void => {
      for (const one of disconnected) publishBlock(one, 'D');
    };
    const publishJoined = (): void => {
      for (const one of connected) publishBlock(one, 'C');
      if (announced === undefined) return;
      zmq.publish('hashblock', displayed(tip.hash));
      zmq.publish('rawblock', announced.block.bytes);
    };
    if (config.zmq.length > 0) {
      if (held === null) guard.run('zmq', publishLeft);
      else held.push(publishLeft);
      inOrder(publishJoined);
    }
    if (announced === undefined) return;
    const { height, hashHex: hash, time } = tip;
    run('block', config.block, hash);
    send({ event: 'block', hash, height, time, transactions: announced.block.txs.length });
  };
  return {
    zmq: zmq.list,
    onTip,
    onEntered: ({ tx }) => {
      if (config.zmq.length === 0) return;
      publishTx(tx.txid, tx.bytes);
      zmq.publish('sequence', sequenceBody(tx.txid, 'A', mempool.sequence - 1));
    },
    onLeft: (entry, reason) => {
      if (config.zmq.length === 0 || reason === 'block') return;
      zmq.publish('sequence', sequenceBody(entry.txid, 'R', mempool.sequence - 1));
    },
    onShares: (records) => guard.run('zmq', () => zmq.publish('share', records)),
    started: () => {
      run('startup', config.startup);
      send({ event: 'startup', hash: chain.view.tip.hashHex, height: chain.view.tip.height });
    },
    alert: (text) => {
      run('alert', config.alert, quoted(text));
      send({ event: 'alert', text });
    },
    close: () => {
      zmq.close();
      webhooks.close();
      hooks.close();
    },
  };
}
