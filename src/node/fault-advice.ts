// Advice for operators about storage faults, appended to the fault's log line.

import { fromEngineError } from '../storage/engine.js';
import { fromSystemError, StoreError } from '../storage/store-error.js';
import { adviceForDamagedWallet } from '../wallet/node-face.js';

/** System errors of files outside storage (settings, the log) that explain themselves. */
const SYSTEM_FAULTS: readonly string[] = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EPERM'];
/** Number of causes that are examined. */
const MAX_DEPTH = 6;

/**
 * Returns the storage fault behind an error; null for none. The newer database binding throws some errors past every
 * caller, with the codes of abstract-level.
 */
function storeErrorOf(error: unknown): StoreError | null {
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < MAX_DEPTH; e = e.cause, depth++) {
    if (e instanceof StoreError) return e;
    const { code } = e as NodeJS.ErrnoException;
    if (typeof code !== 'string') continue;
    if (code.startsWith('LEVEL_')) return fromEngineError(e, 'read the database');
    if (SYSTEM_FAULTS.includes(code)) return fromSystemError(e, 'use the disk');
  }
  return null;
}

/** Returns one sentence of advice; empty if the message is sufficient. */
export function adviceFor(error: unknown): string {
  const fault = storeErrorOf(error);
  if (fault === null) return '';
  const { message } = fault;
  if (/-reindex|[Cc]heck permissions/.test(`${error instanceof Error ? error.message : ''} ${message}`)) return '';
  switch (fault.code) {
    case 'STORE_DISK_FULL':
      return 'Make room on the disk and start again. All data that the node has acknowledged is kept.';
    case 'STORE_IO':
      return 'Look for disk errors in the system log, and start again once they are fixed.';
    case 'STORE_PERMISSION':
      return 'Check the permissions of the data directory, and start again.';
    case 'STORE_CORRUPTION':
    case 'STORE_NOT_FOUND':
      return adviceForDamage(message);
    default:
      return '';
  }
}

function adviceForDamage(message: string): string {
  if (/[\\/]wallets?[\\/]|wallet/i.test(message))
    return `Start without this wallet (-wallet, settings.json). ${adviceForDamagedWallet(message)}`;
  if (/xor\.dat/.test(message))
    return 'Restore the xor.dat that belongs to these block files. Without it they cannot be read and must be deleted.';
  if (/coin|flush marker/i.test(message)) return 'Start with -reindex-chainstate to rebuild the coins from the blocks.';
  // A damaged table or manifest also affects the data that -reindex-chainstate would keep.
  return 'Start with -reindex to rebuild everything from the readable blocks.';
}

/**
 * Returns the message with its advice in one line if the operator can fix the error; null for a bug, whose stack should
 * be logged.
 */
export function operatorError(error: unknown): string | null {
  if (!(error instanceof Error) || (adviceFor(error) === '' && typeof (error as NodeJS.ErrnoException).code !== 'string')) return null;
  return withAdvice(error.message.replaceAll('\n', ' '), error);
}

export function withAdvice(message: string, error: unknown): string {
  const advice = adviceFor(error);
  if (advice === '') return message;
  return `${message}${/[.!?]$/.test(message) ? '' : '.'} ${advice}`;
}
