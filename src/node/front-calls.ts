// Calls that a process of fronts answers itself instead of a node: getstratuminfo, because its miners are connected here.
// In a batch the call goes to a node like the others.
import type { FrontConfig } from '../config/index.js';
import { routeOf } from '../fleet/follow/index.js';
import type { ExecuteBody } from '../link/running-call.js';
import type { Logger } from '../log/logger.js';
import type { StratumAccess } from '../rpc/context/mining.js';
import { methodsOf } from '../rpc/declare/methods.js';
import { Dispatcher } from '../rpc/dispatch.js';
import { getstratuminfo } from '../rpc/methods/mining/getstratuminfo.js';

/**
 * Returns a function that answers getstratuminfo here, and passes all other bodies on.
 * @param stratum returns undefined while the front does not serve miners
 */
export function answerFrontCalls(
  { wallet, compat, rpc }: Pick<FrontConfig, 'wallet' | 'compat' | 'rpc'>,
  stratum: () => StratumAccess | undefined,
  passOn: ExecuteBody,
  log: Logger,
): ExecuteBody {
  const dispatcher = new Dispatcher({
    methods: methodsOf(wallet.enabled, compat),
    runs: { getstratuminfo },
    context: {
      get stratum() {
        return stratum() ?? null;
      },
    },
    warmup: () => null,
    requests: { version2: rpc.jsonRpc2 },
    onFault: (method, error) => log.error(`${method} failed: ${error instanceof Error ? error.stack : String(error)}`),
  });
  return async (body, call, hooks) => {
    if (stratum() === undefined || routeOf(body, call.uri).method !== 'getstratuminfo') return passOn(body, call, hooks);
    const begun = performance.now();
    const reply = await dispatcher.dispatchBytes(new Uint8Array(body), { user: call.user, path: call.uri });
    hooks.onCall('getstratuminfo', (performance.now() - begun) / 1000, reply.status === 200);
    return reply;
  };
}
