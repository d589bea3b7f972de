// A thread for lenient.test.ts: ends before it says anything, or listens and ends when it is asked to by its port
// number.
import { parentPort, workerData } from 'node:worker_threads';

const { port } = (workerData as { target: { port: number } }).target;
if (port === 1) process.exit(3);
if (port === 2) throw new Error('no library');
parentPort?.postMessage({ kind: 'listening', addresses: [{ host: '127.0.0.1', port: 1 }] });
if (port === 3) setImmediate(() => process.exit(0));
else parentPort?.once('message', () => parentPort?.close());
