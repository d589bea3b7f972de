// Wallet that a migration fills: a failed write ends the migration, but not the node.
import t from 'tap';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import { MigratedWallet } from '../../../src/wallet/migrate/migrated-wallet.js';
import { createMemoryWallet } from '../../framework/memory-wallet.js';

class FullStore extends MemoryStore {
  override batch(): Promise<void> {
    return Promise.reject(new Error('No space left on device'));
  }
}

t.test('reports a failed write to the caller and does not stop the node', async (t) => {
  const faults: unknown[] = [];
  const { surroundings } = await createMemoryWallet({ onFault: (error) => faults.push(error) });
  const one = new MigratedWallet(surroundings, { name: 'w', folder: '' }, 0n, null, new FullStore());
  await t.rejects(one.finish(new Uint8Array(32), null), { message: 'No space left on device' });
  await one.abandon();
  t.same(faults, []);
});
