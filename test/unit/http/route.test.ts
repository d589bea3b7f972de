// Tests decisions about bodies, with a simulated router and simulated links.
import t from 'tap';
import type { Exchange } from '../../../src/http/front/exchange.js';
import { CallRoutes, type CallRoutesDeps } from '../../../src/http/front/route.js';
import type { LinkedCall } from '../../../src/link/front-link.js';

t.test('submits a block that was taken out of a body whose rest is read in slices', async (t) => {
  const block = { token: 'block', bytes: Uint8Array.of(1, 2, 3) };
  const index = Int32Array.of(0);
  const sent = new Promise<LinkedCall>((resolve) => {
    const deps = {
      router: {
        knownReply: () => null,
        withoutBlock: () => ({ body: Buffer.from('rest'), block }),
        plan: () => null,
        planLong: async () => ({ kind: 'node', method: 'submitblock', secret: false, index }),
      },
      bodies: { reserve: () => true, release: () => {} },
      replies: {},
      node: {
        call: (call: LinkedCall) => {
          resolve(call);
          return 1;
        },
        postNews: t.fail,
      },
      wallets: () => null,
    };
    const exchange = { call: { user: 'u', uri: '/', allowed: null, submits: true }, disconnected: false };
    const body = Buffer.from(`{"method":"submitblock","params":["${'0'.repeat(70_000)}"]}`);
    new CallRoutes(deps as unknown as CallRoutesDeps).route(exchange as unknown as Exchange, body, true);
  });
  const { body, block: passed, submission } = await sent;
  t.same([Buffer.from(body).toString(), passed, submission], ['rest', block, true]);
});
