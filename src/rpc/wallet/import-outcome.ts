// Shared by methods that import: the time of a request, and its result.

import { hideKeys } from '../../address/descriptor/key-tokens.js';
import type { StoredBlocks } from '../../wallet/index.js';
import { asInt64 } from '../args.js';
import { fail, RPC_CODE, RpcError } from '../errors.js';
import { JsonNumber, JsonObject, type JsonResult, type JsonValue, typeName } from '../wire/values.js';
import { asRpcError } from './select.js';

/**
 * Reads the time of a request, and resolves "now". All times beyond 2^53 seconds become the same number, because larger
 * numbers are not exact.
 */
export function importTime(request: JsonValue, now: number): number {
  const value = request instanceof JsonObject && request.has('timestamp') ? (request.get('timestamp') ?? null) : undefined;
  if (value === undefined) return fail(RPC_CODE.TYPE_ERROR, 'Missing required timestamp field for key');
  if (value instanceof JsonNumber) return Math.min(Number(asInt64(value)), Number.MAX_SAFE_INTEGER);
  if (value === 'now') return now;
  return fail(RPC_CODE.TYPE_ERROR, `Expected number or "now" timestamp value for key. got type ${typeName(value)}`);
}

/** Converts an exception to the error of a request; null stays null. Throws exceptions that are faults of the node. */
export function elementError<T>(thrown: T): RpcError | Extract<T, null> {
  if (thrown === null) return thrown as Extract<T, null>;
  const error = asRpcError(thrown);
  if (!(error instanceof RpcError)) throw error;
  return error.code === RPC_CODE.MISC_ERROR ? new RpcError(RPC_CODE.MISC_ERROR, 'Missing required fields') : error;
}

/**
 * Builds a request's element of the result.
 * @param error null: the request was imported
 * @param keys private keys of the call by their tokens, which are removed from error messages
 */
export function outcomeResult(error: RpcError | null, warnings: readonly string[], keys?: ReadonlyMap<string, Uint8Array>): JsonResult {
  return {
    success: error === null,
    ...(error ? { error: { code: error.code, message: hideKeys(error.message, keys) } } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Returns the error for requests whose blocks could not be read. */
export function scanFailure(
  { havePruned, historyMissing }: StoredBlocks,
  { what, things }: { readonly what: string; readonly things: string },
  time: number,
  scannedTo: number,
): RpcError {
  const cause =
    !havePruned && historyMissing
      ? 'This error is likely caused by an in-progress assumeutxo background sync. Check logs or getchainstates RPC for assumeutxo background sync progress and try again later.'
      : 'This error could be caused by pruning or data corruption (see bitcoind log for details) and could be dealt with by downloading and rescanning the relevant blocks (see -reindex and -rescan options).';
  return new RpcError(
    RPC_CODE.MISC_ERROR,
    `Rescan failed for ${what} timestamp ${time}. There was an error reading a block from time ${scannedTo - 7201}, which is after or within 7200 seconds of key creation, and could contain transactions pertaining to the ${things}. As a result, transactions and coins using this ${things} may not appear in the wallet. ${cause}`,
  );
}
