// Answers calls between the opening of the RPC port and the end of the start with code -28 and the current phase.
// Fronts answer by themselves. Large bodies, which they pass on unread, are answered here.
import { METHODS } from '../rpc/declare/methods.js';
import { type CallInfo, Dispatcher, type DispatchHooks } from '../rpc/dispatch.js';
import type { Reply } from '../rpc/wire/reply.js';

/** Core 0.21's texts of the phases. */
export const warmupTexts = {
  started: 'RPC server started',
  loading: 'Loading block index...',
  verifying: 'Verifying blocks...',
  wallets: 'Loading wallet...',
  network: 'Starting network threads...',
} as const;

/**
 * Creates an executor that answers with the current phase.
 * @param status returns the phase
 */
export function createWarmupExecutor(status: () => string | null): {
  executeBody(body: Uint8Array, call: { user: string; uri: string; signal?: AbortSignal }, hooks?: DispatchHooks): Reply | Promise<Reply>;
} {
  const dispatcher = new Dispatcher<null>({ methods: METHODS, runs: {}, context: null, warmup: () => status() ?? warmupTexts.started });
  return {
    executeBody: (body, { user, uri, signal }, hooks) => {
      const call: CallInfo = { user, path: uri, signal };
      return dispatcher.dispatchBytes(body, call, hooks);
    },
  };
}
