// Advice for operators, by fault.
import t from 'tap';
import { ChainFault } from '../../../src/chain/chain-fault.js';
import { adviceFor, withAdvice } from '../../../src/node/fault-advice.js';
import { StoreError, type StoreErrorCode } from '../../../src/storage/store-error.js';

const fault = (code: StoreErrorCode, message: string): Error =>
  new ChainFault(`The chain stopped: ${message}`, new StoreError(code, message));

t.test('returns advice for every storage fault', async (t) => {
  for (const [code, message, advice] of [
    ['STORE_DISK_FULL', 'Failed to write blk00000.dat: ENOSPC', /^Make room on the disk and start again/],
    ['STORE_IO', 'Failed to sync rev00000.dat: EIO', /^Look for disk errors in the system log/],
    ['STORE_PERMISSION', 'Failed to open /d/chainstate: EACCES', /^Check the permissions/],
    ['STORE_CORRUPTION', 'Checksum mismatch of the undo data in rev00000.dat at 8', /^Start with -reindex to rebuild everything/],
    ['STORE_CORRUPTION', 'Failed to read keys: Corruption: block checksum mismatch in /d/chainstate/000008.sst', /^Start with -reindex to/],
    ['STORE_CORRUPTION', 'Stored coin is damaged: 0 bytes', /^Start with -reindex-chainstate/],
    ['STORE_CORRUPTION', 'The flush marker refers to unknown blocks', /^Start with -reindex-chainstate/],
    ['STORE_CORRUPTION', '/d/blocks/xor.dat must have 8 bytes, not 7', /^Restore the xor\.dat/],
    [
      'STORE_CORRUPTION',
      'Failed to open /d/wallets/a/wallet.db: Corruption: bad',
      /^Start without this wallet .* Move \/d\/wallets\/a away .* restorewallet "a" BACKUP$/,
    ],
    ['STORE_NOT_FOUND', 'blk00003.dat has no record at 8', /^Start with -reindex/],
  ] as const)
    t.match(adviceFor(fault(code, message)), advice, message);
  t.match(adviceFor(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })), /^Make room/);
  t.match(adviceFor(Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })), /disk errors/);
  t.equal(adviceFor(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })), '');
  t.equal(adviceFor(new StoreError('STORE_LOCKED', 'x')), '');
  t.equal(adviceFor(new Error('something else')), '');
  t.equal(adviceFor('not an error'), '');
});

t.test('returns advice for errors that the database binding throws asynchronously', async (t) => {
  const text = 'Corruption: block checksum mismatch: stored = 1, computed = 2  in /d/chainstate/000017.sst offset 4';
  const error = Object.assign(new Error(text), { code: 'LEVEL_CORRUPTION' });
  t.equal(withAdvice(text, error), `${text}. Start with -reindex to rebuild everything from the readable blocks.`);
});

t.test('adds no advice to a message that contains it already', async (t) => {
  const message = 'Corrupted block database detected. Please restart with -reindex or -reindex-chainstate to recover.';
  t.equal(withAdvice(message, new StoreError('STORE_CORRUPTION', message)), message);
});
