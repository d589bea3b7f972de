// Both ends of the lenient listener's thread: the thread itself (called by workers/lenient.ts), and who starts and ends it (node).
import { once } from 'node:events';
import { type MessagePort, Worker } from 'node:worker_threads';
import type { HttpBind } from '../options.js';
import { LenientListener, type LenientOptions } from './lenient-listener.js';

type Report = { readonly kind: 'listening'; readonly addresses: HttpBind[] } | { readonly kind: 'failed'; readonly text: string };

/** The thread: listens, reports, and closes when it is told anything. */
export async function runLenient(options: LenientOptions, port: MessagePort): Promise<void> {
  const listener = new LenientListener(options);
  const report = (news: Report): void => port.postMessage(news);
  try {
    report({ kind: 'listening', addresses: await listener.listen() });
  } catch (error) {
    report({ kind: 'failed', text: (error as Error).message });
    return;
  }
  await once(port, 'message');
  await listener.close();
  port.close();
}

/** A listener that runs. */
export interface LenientServer {
  readonly addresses: readonly HttpBind[];
  close(): Promise<void>;
}

/** Starts the thread. @throws Error with the socket's text when no address works @param onEnd called when it ends by itself */
export async function startLenientServer(options: LenientOptions, onEnd: (reason: Error) => void): Promise<LenientServer> {
  const worker = new Worker(new URL('../../../workers/lenient.js', import.meta.url), { name: 'adit-lenient', workerData: options });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const [report] = (await once(worker, 'message')) as [Report];
  if (report.kind === 'failed') {
    await worker.terminate();
    throw new Error(report.text);
  }
  worker.on('error', onEnd);
  return {
    addresses: report.addresses,
    close: async () => {
      worker.postMessage('close');
      await exited;
    },
  };
}
