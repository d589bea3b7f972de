// What imports and new addresses have answered is on the disk: a loss of power takes all that was written after the last fsync, and keys that
// nothing can derive again must outlast it. Nor may an address be given out twice, to two who pay.
import t from 'tap';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import type { Run } from '../../../src/rpc/dispatch.js';
import type { NodeContext } from '../../../src/rpc/node/context.js';
import { WALLET_RUNS } from '../../../src/rpc/wallet/runs.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, BatchOptions } from '../../../src/storage/store.js';
import { WALLET_PREFIX } from '../../../src/wallet/storage/layout.js';
import { WALLET_FLAG } from '../../../src/wallet/wallet-record.js';
import { createMemoryWallet } from '../../framework/memory-wallet.js';
import { ranged, run, XPUB } from '../../framework/wallet-calls.js';

const { key, script, watched, descriptor, pool, address } = WALLET_PREFIX;
const PREFIXES: ReadonlySet<number> = new Set([key, script, watched, descriptor, pool, address]);

/** Counts rows of keys, scripts and labels that a loss of power would take. */
class NotingStore extends MemoryStore {
  unsynced = 0;
  override async batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    await super.batch(ops, options);
    if (options?.sync === true) this.unsynced = 0;
    else this.unsynced += ops.filter((op) => PREFIXES.has(op.key[0])).length;
  }
}

const PUBLIC = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const WIF = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
const {
  getnewaddress,
  getrawchangeaddress,
  importmulti,
  importdescriptors,
  importprivkey,
  importpubkey,
  importaddress,
  addmultisigaddress,
} = WALLET_RUNS;
const calls: [string, Run<NodeContext>, readonly unknown[], boolean][] = [
  ['importmulti', importmulti, [[ranged([0, 9])], { rescan: false }], false],
  ['importprivkey', importprivkey, [WIF, 'mine', false], false],
  ['importpubkey', importpubkey, [PUBLIC, 'seen', false], false],
  ['importaddress', importaddress, ['51', 'script', false], false],
  ['addmultisigaddress', addmultisigaddress, [1, [PUBLIC]], false],
  ['getnewaddress', getnewaddress, ['a label'], false],
  ['getnewaddress', getnewaddress, [], true],
  ['getrawchangeaddress', getrawchangeaddress, [], false],
  ['importdescriptors', importdescriptors, [[{ desc: addChecksum(`wpkh(${XPUB}/*)`), range: [0, 9], timestamp: 'now' }]], true],
];

for (const [name, method, params, descriptors] of calls) {
  t.test(name, async (t) => {
    const store = new NotingStore();
    const { wallet } = await createMemoryWallet({ descriptors, store });
    if (method === importdescriptors) wallet.record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
    store.unsynced = 0;
    let writes = 0;
    const batch = store.batch.bind(store);
    store.batch = (ops, options) => {
      writes += ops.length;
      return batch(ops, options);
    };
    await run(wallet, method, ...params);
    t.ok(writes > 0, 'it wrote');
    t.equal(store.unsynced, 0);
  });
}
