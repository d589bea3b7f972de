// The time between the opening of the RPC port and the end of the start: every call is answered with -28 and what is
// being done. Fronts answer by themselves; what they pass on unread (large bodies) is answered here.
import { METHODS } from '../rpc/declare/methods.js';
import { type CallInfo, Dispatcher, type DispatchHooks } from '../rpc/dispatch.js';
import type { Reply } from '../rpc/wire/reply.js';

/** Core 0.21's texts of the phases that there are here. */
export const warmupTexts = {
  started: 'RPC server started',
  loading: 'Loading block index...',
  verifying: 'Verifying blocks...',
  wallets: 'Loading wallet...',
  network: 'Starting network threads...',
} as const;

/** Answers whole bodies while nothing is there yet. @param status the phase, never null while this is asked */
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
