// The store in memory under the common suite, and the translation of the bindings' errors.

import t from 'tap';
import { fromEngineError } from '../../../src/storage/engine.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { storeSuite } from './store-suite.js';

storeSuite('memory', async () => new MemoryStore());

t.test('maps errors of both database bindings to their codes', async (t) => {
  const code = (message: string, extra: object = {}) => fromEngineError(Object.assign(new Error(message), extra), 'do it').code;
  t.equal(code('IO error: lock /x/LOCK: Resource temporarily unavailable'), 'STORE_LOCKED');
  t.equal(code('anything', { code: 'LEVEL_LOCKED' }), 'STORE_LOCKED');
  t.equal(code('IO error: No space left on device: While appending to file: /x/000004.log'), 'STORE_DISK_FULL');
  t.equal(code('Corruption: block checksum mismatch: stored = 1, computed = 2'), 'STORE_CORRUPTION');
  t.equal(code('Database is not open', { cause: Object.assign(new Error('IO error: Permission denied'), {}) }), 'STORE_PERMISSION');
  t.equal(code('Database is not open', { code: 'LEVEL_DATABASE_NOT_OPEN' }), 'STORE_CLOSED');
  t.equal(code('IO error: Input/output error'), 'STORE_IO');
  t.match(fromEngineError(new Error('Corruption: x'), 'read keys').message, 'Failed to read keys: Corruption: x');
});
