// The error type of this module.

/**
 * Codes of errors:
 * - STORE_LOCKED: another process or another part of this process uses the data folder.
 * - STORE_CORRUPTION: bytes on the disk are not those that were written.
 * - STORE_DISK_FULL: no space or quota is left; existing data is intact.
 * - STORE_CLOSED: the store was closed, or is closing.
 * - STORE_NOT_FOUND: a file or record is missing that must exist.
 * - STORE_PERMISSION: the system refuses access.
 * - STORE_ENGINE: the folder belongs to another database engine or format, or no engine loads.
 * - STORE_FORMAT: an input file (bootstrap, hex lines) has a wrong format.
 * - STORE_IO: any other failed read or write.
 */
export type StoreErrorCode =
  | 'STORE_LOCKED'
  | 'STORE_CORRUPTION'
  | 'STORE_DISK_FULL'
  | 'STORE_CLOSED'
  | 'STORE_NOT_FOUND'
  | 'STORE_PERMISSION'
  | 'STORE_ENGINE'
  | 'STORE_FORMAT'
  | 'STORE_IO';

/** Error of the disk, the database or a file; never a verdict about a block. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
    this.code = code;
  }
}

const BY_ERRNO: Record<string, StoreErrorCode> = {
  ENOSPC: 'STORE_DISK_FULL',
  EDQUOT: 'STORE_DISK_FULL',
  EFBIG: 'STORE_DISK_FULL',
  EACCES: 'STORE_PERMISSION',
  EPERM: 'STORE_PERMISSION',
  EROFS: 'STORE_PERMISSION',
  ENOENT: 'STORE_NOT_FOUND',
};

/**
 * Wraps a failed system call. A StoreError is returned unchanged.
 * @param doing for example "write blk00000.dat"
 */
export function fromSystemError(error: unknown, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  const errno = (error as NodeJS.ErrnoException | null)?.code ?? '';
  const text = error instanceof Error ? error.message : String(error);
  return new StoreError(BY_ERRNO[errno] ?? 'STORE_IO', `Failed to ${doing}: ${text}`, error);
}
