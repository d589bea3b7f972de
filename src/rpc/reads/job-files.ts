// Reads the stored blocks of jobs, with the errors that clients get.
import { DecodeError } from '../../consensus/bytes/reader.js';
import type { Coin } from '../../consensus/coin.js';
import { decodeUndo } from '../../storage/codec/undo.js';
import { StoreError } from '../../storage/store-error.js';
import type { RecordFolder, SyncRecords } from '../../storage/sync-records.js';
import { RPC_CODE, RpcError } from '../errors.js';
import { MISSING_UNDO, PRUNED_UNDO, type StoredBlock, type StoredUndo } from './read-job.js';

const PRUNED_BLOCK = 'Block not available (pruned data)';
const MISSING_BLOCK = 'Block not found on disk';

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

/** Reads the stored blocks of jobs, with the errors that clients get. */
export class JobFiles {
  readonly #records: SyncRecords;

  constructor(records: SyncRecords) {
    this.#records = records;
  }

  /** Reads a block's bytes, or a part of them; null if the block does not have the part. @throws RpcError */
  block(place: StoredBlock, part: { readonly offset: number; readonly size: number } | null = null): Uint8Array | null {
    try {
      return this.#records.readBlock(folderOf(place), place, place.hash === '' ? null : bytesOf(place.hash).reverse(), part);
    } catch (error) {
      throw unreadable(error, place, PRUNED_BLOCK, MISSING_BLOCK);
    }
  }

  /** Reads the coins that a block spent. @param prevHash hash of its parent, internal order @throws RpcError */
  undo(place: StoredBlock, undo: StoredUndo, prevHash: Uint8Array): Coin[][] {
    try {
      const { file } = place;
      const bytes =
        typeof undo === 'string'
          ? new Uint8Array(Buffer.from(undo, 'base64'))
          : this.#records.readUndo(folderOf(place), { file, pos: undo }, prevHash);
      return decodeUndo(bytes) as Coin[][];
    } catch (error) {
      throw unreadable(error, place, PRUNED_UNDO, MISSING_UNDO);
    }
  }
}

const folderOf = ({ dir, magic, xor }: StoredBlock): RecordFolder => ({
  dir,
  magic: bytesOf(magic),
  xorKey: xor === null ? null : bytesOf(xor),
});

/** An error for the client, with a line for the log. */
export class ReadError extends RpcError {
  readonly log: string | null;
  constructor(message: string, log: string | null) {
    super(RPC_CODE.MISC_ERROR, message);
    this.log = log;
  }
}

/** Returns the error for a failed read. The file may have been pruned since the job was made. */
function unreadable(error: unknown, { prunes }: StoredBlock, pruned: string, missing: string): unknown {
  if (!(error instanceof StoreError) && !(error instanceof DecodeError)) return error;
  const code = error instanceof StoreError ? error.code : 'STORE_CORRUPTION';
  if (code === 'STORE_NOT_FOUND' && prunes) return new ReadError(pruned, null);
  // The file is damaged. Nothing else depends on this block now, so only the client and the log are informed.
  if (code !== 'STORE_CORRUPTION' && code !== 'STORE_NOT_FOUND') return error;
  return damaged(missing, error.message);
}

const damaged = (message: string, cause: string): ReadError =>
  new ReadError(message, `ERROR: ${cause}. Start with -reindex to rebuild everything from the readable blocks.`);

/** Returns the error for a stored block whose bytes are not a block. */
export const undecodable = ({ message }: DecodeError): ReadError => damaged(MISSING_BLOCK, `A stored block cannot be decoded: ${message}`);
