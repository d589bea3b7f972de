// Rows of a wallet that belong together: collected while memory changes, written all or nothing. One is open at a time per wallet.
import type { BatchOp } from '../../storage/store.js';

export class WalletBatch {
  readonly ops: BatchOp[] = [];

  put(key: Uint8Array, value: Uint8Array): void {
    this.ops.push({ type: 'put', key, value });
  }
  del(key: Uint8Array): void {
    this.ops.push({ type: 'del', key });
  }
}
