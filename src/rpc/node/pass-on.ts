// Passes calls of wallets that reach the node thread on to the wallets' thread: entries of mixed batches, bodies that a
// front passed on unread, and calls from a fleet. Each becomes a request of its own.
import type { FrontLink } from '../../link/front-link.js';
import { wholeBody } from '../../link/messages.js';
import type { NodeContext, PassOn } from '../context/node.js';
import { METHODS } from '../declare/methods.js';
import type { RunTable } from '../dispatch.js';
import { fail, RPC_CODE, RpcError } from '../errors.js';
import { encodeJson } from '../wire/json-write.js';
import { type JsonResult, RawBytes, RawJson } from '../wire/values.js';

/** Text before and after the result of a request whose id is 0. */
const BEFORE = '{"result":';
const AFTER = ',"error":null,"id":0}\n';

/**
 * Returns a function that passes calls on.
 * @param wallets creates the node thread's link to the wallets' thread at the first access
 */
export function passingOn(wallets: { readonly link: FrontLink }): PassOn {
  return (method, args, call) =>
    new Promise((resolve, reject) => {
      const body = Buffer.from(encodeJson({ id: 0, method, params: [...args] }));
      const taken = call.taken?.ofRequest(call.index ?? 0) ?? null;
      const { signal } = call;
      const { link } = wallets;
      const cancel = (): void => link.cancel(id);
      const id = link.call(
        {
          user: call.user,
          uri: call.path,
          method,
          body,
          taken,
          priority: taken !== null,
          plain: true,
          shared: true,
          submission: false,
          waits: METHODS.get(method)?.waits === true,
        },
        (status, reply) => {
          signal?.removeEventListener('abort', cancel);
          if (status === 200) resolve(resultOf(wholeBody(reply)));
          else reject(errorOf(wholeBody(reply)));
        },
      );
      if (id === 0) reject(new RpcError(RPC_CODE.MISC_ERROR, 'Work queue depth exceeded'));
      else signal?.addEventListener('abort', cancel, { once: true });
    });
}

function resultOf(reply: string | Uint8Array): JsonResult {
  if (typeof reply === 'string') return new RawJson(reply.slice(BEFORE.length, -AFTER.length));
  // Copy: the link owns the bytes.
  return new RawBytes([new Uint8Array(reply.subarray(BEFORE.length, reply.length - AFTER.length))]);
}

function errorOf(reply: string | Uint8Array): RpcError {
  const text = typeof reply === 'string' ? reply : Buffer.from(reply).toString();
  try {
    const { code, message } = (JSON.parse(text) as { error: { code: number; message: string } }).error;
    return new RpcError(code, message);
  } catch {
    // If the thread has ended, its reply is not JSON.
    return new RpcError(RPC_CODE.MISC_ERROR, text);
  }
}

/** Run functions of the node thread for methods of wallets: they pass the calls on. */
export const PASSED_RUNS: RunTable<Pick<NodeContext, 'passOn'>> = Object.fromEntries(
  [...METHODS.values()]
    .filter(({ runs }) => runs === 'wallet')
    .map(({ name }) => [
      name,
      ({ args }, { passOn }, call) => (passOn === null ? fail(RPC_CODE.METHOD_NOT_FOUND, 'Method not found') : passOn(name, args, call)),
    ]),
);
