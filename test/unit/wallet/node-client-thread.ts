// A simulated node on its own thread, for node-client.test.ts: its chain grows and its mempool changes, and each change
// is acknowledged in shared memory when it is complete.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { silentLogger } from '../../../src/log/logger.js';
import { NodeClientServer } from '../../../src/node/node-client-server.js';
import { createNode } from '../../framework/growing-node.js';

interface Data {
  readonly port: MessagePort;
  readonly counters: Int32Array;
  /** Height of the last block and number of the last transaction that are acknowledged; number of syncs of the test. */
  readonly acknowledged: Int32Array;
  readonly blocks: number;
}

const { port, counters, acknowledged, blocks } = workerData as Data;
const node = createNode();
const server = new NodeClientServer(node.client, port, counters, new ListenerGuard(silentLogger));
parentPort!.once('message', () => {
  let steps = 0;
  const step = (): void => {
    // The test syncs at least once in four steps, however slowly it runs.
    if (Atomics.load(acknowledged, 2) * 4 < steps) {
      setImmediate(step);
      return;
    }
    steps++;
    // Several changes within one event-loop tick, each acknowledged separately.
    for (let i = 0; i < 5; i++) {
      node.enter();
      Atomics.store(acknowledged, 1, node.entered);
      if (node.tip.height < blocks) node.connect();
      Atomics.store(acknowledged, 0, node.tip.height);
    }
    if (node.tip.height < blocks) setImmediate(step);
    else parentPort!.postMessage('done');
  };
  step();
});
parentPort!.postMessage(server.facts);
