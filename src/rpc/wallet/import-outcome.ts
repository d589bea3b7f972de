// Shared by methods that import: the time of a request, its result, and pauses.

import { hideKeys } from '../../address/descriptor/key-tokens.js';
import type { StoredBlocks } from '../../wallet/node-client.js';
import type { WalletBatch } from '../../wallet/storage/wallet-batch.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asInt64 } from '../args.js';
import { fail, RPC_CODE, RpcError } from '../errors.js';
import type { Slicer } from '../node/slices.js';
import { JsonNumber, JsonObject, type JsonResult, type JsonValue, typeName } from '../wire/values.js';
import type { YieldIfDue } from './import-request.js';

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

/** Outcome of one request. */
export interface ImportOutcome {
  readonly success: boolean;
  readonly error?: RpcError;
  readonly warnings: readonly string[];
}

/** Converts an exception to the error of a request. Throws exceptions that are faults of the node. */
export function elementError(error: unknown): RpcError {
  if (!(error instanceof RpcError)) throw error;
  return error.code === RPC_CODE.MISC_ERROR ? new RpcError(RPC_CODE.MISC_ERROR, 'Missing required fields') : error;
}

/**
 * Converts an outcome to its element of the result.
 * @param keys private keys of the call by their tokens, which are removed from error messages
 */
export function outcomeResult({ success, error, warnings }: ImportOutcome, keys?: ReadonlyMap<string, Uint8Array>): JsonResult {
  return {
    success,
    ...(error ? { error: { code: error.code, message: hideKeys(error.message, keys) } } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Batch of a wallet that is held exclusively, and a function that yields when a slice is used up. */
export interface Applying {
  readonly batch: WalletBatch;
  readonly yieldIfDue: YieldIfDue;
}

/** Returns the error for requests whose blocks could not be read. */
export function scanFailure(
  { havePruned, historyMissing }: StoredBlocks,
  what: string,
  things: string,
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

/**
 * Returns a function that yields to other work when a slice is used up, while requests are read and applied. The state
 * of the wallet may change meanwhile, so it is checked again when the imports are applied.
 */
export function yieldIfDueFor(wallet: Wallet, slicer: Slicer): YieldIfDue {
  const pause = async (): Promise<void> => {
    await slicer.pause();
    wallet.assertOpen();
  };
  return () => (slicer.due ? pause() : undefined);
}

/** Visits items in slices. */
export async function eachInSlices<T>(items: Iterable<T>, yieldIfDue: YieldIfDue, visit: (item: T) => void): Promise<void> {
  for (const item of items) {
    visit(item);
    const pause = yieldIfDue();
    if (pause) await pause;
  }
}
