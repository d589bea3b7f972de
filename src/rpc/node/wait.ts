// Shared by waitforblock, waitforblockheight, and waitfornewblock: replies that wait for a tip. A waiting call is a
// closure, not a thread. It ends with the tip, the timeout, the client, or the node.
import { follows } from '../../policy/compat.js';
import type { HeaderInfo } from '../context/chain.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { JsonResult } from '../wire/values.js';

/** Longest delay of a timer. A longer timeout means the same as none. */
const MAX_TIMER_MS = 0x7fff_ffff;

/** Checks a timeout. Since release 29 negative values are refused; before they meant not to wait. */
export function timeoutOf({ compat }: NodeContext, timeoutMs: number): number {
  if (timeoutMs < 0 && follows(compat, 29)) fail(RPC_CODE.MISC_ERROR, 'Negative timeout');
  return timeoutMs;
}

/**
 * Waits until the tip meets a condition, and returns the tip of that moment.
 * @param timeoutMs 0: wait for ever; negative: do not wait
 */
export function untilTip(ctx: NodeContext, call: CallInfo, timeoutMs: number, pleases: (tip: HeaderInfo) => boolean): Promise<JsonResult> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let forget = () => {};
    const done = () => {
      forget();
      clearTimeout(timer);
      ctx.stopping.removeEventListener('abort', done);
      call.signal?.removeEventListener('abort', done);
      const { tip } = ctx.chain;
      resolve({ hash: tip.hashHex, height: tip.height });
    };
    if (pleases(ctx.chain.tip) || ctx.stopping.aborted || call.signal?.aborted) return done();
    forget = ctx.events.tip.add((tip) => {
      // Reply after the whole tip change, when the chain has the new tip.
      if (pleases(tip)) queueMicrotask(done);
    }, 'waiting calls');
    if (timeoutMs !== 0) timer = setTimeout(done, Math.min(Math.max(timeoutMs, 0), MAX_TIMER_MS));
    ctx.stopping.addEventListener('abort', done);
    call.signal?.addEventListener('abort', done);
  });
}
