// Tests limits of the mempool just below and just above each limit. The numbers are written out from Core 0.21.1:
// policy.h, txmempool.h, validation.cpp.
import t from 'tap';
import { rejectText } from '../../../src/consensus/state.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { silentLogger } from '../../../src/log/logger.js';
import { Eviction } from '../../../src/mempool/eviction.js';
import { DEFAULT_MEMPOOL } from '../../../src/mempool/options.js';
import type { TxPool } from '../../../src/mempool/tx-pool.js';
import { DEFAULT_POLICY } from '../../../src/policy/options.js';
import { checkStandardTx } from '../../../src/policy/standard-tx.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, HandClock, NO_POLICY } from '../../framework/pool-under-test.js';

const P2WPKH = Uint8Array.of(0, 20, ...new Uint8Array(20));
const P2SH = Uint8Array.of(0xa9, 20, ...new Uint8Array(20), 0x87);
const LONG = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);

t.test('accepts a standard transaction of 400,000 weight units, and rejects a heavier one', async (t) => {
  const from = new Uint8Array(36).fill(1);
  // The transaction has 53 bytes for the input and the frame, 3,224 outputs of 31 bytes, and one more byte for each
  // P2SH output.
  const weighing = (hashes: number, witness?: Uint8Array[]): TxView => {
    const outputs = Array.from({ length: 3_224 }, (_, i) => ({ value: 1_000, script: i < hashes ? P2SH : P2WPKH }));
    return spend(crypto, [from], outputs, witness === undefined ? {} : { witness });
  };
  const judge = (tx: TxView): [number, string] => [tx.weight, checkStandardTx(tx, DEFAULT_POLICY)?.reason ?? 'ok'];
  t.same(judge(weighing(3)), [400_000, 'ok']);
  t.same(judge(weighing(2, [new Uint8Array(0)])), [400_000, 'ok'], 'four bytes of witness');
  t.same(judge(weighing(2, [new Uint8Array(1)])), [400_001, 'tx-size']);
  t.same(judge(weighing(4)), [400_004, 'tx-size']);
});

t.test('accepts signature operations of cost 16,000, and rejects a higher cost', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const offer = async (script: Uint8Array, from?: Uint8Array): Promise<string> => {
    const { reject } = await pool.accept(spend(crypto, [chain.fund(100_000, from)], [{ value: 90_000, script }]));
    return reject === null ? 'ok' : rejectText(reject);
  };
  // A CHECKMULTISIG in an output counts as 20 operations, and each of them costs four.
  const checks = (multisigs: number, singles: number): Uint8Array =>
    Uint8Array.of(...LONG, ...new Uint8Array(multisigs).fill(0xae), ...new Uint8Array(singles).fill(0xac));
  t.equal(await offer(checks(200, 0)), 'ok');
  t.equal(await offer(checks(199, 20)), 'ok');
  t.equal(await offer(checks(200, 1)), 'bad-txns-too-many-sigops, 16004');
  t.equal(await offer(checks(200, 0), P2WPKH), 'bad-txns-too-many-sigops, 16001', 'an input of a witness program costs one');
});

t.test('carve-out admits one more descendant of 10,000 virtual bytes, but no larger one', async (t) => {
  const judge = async (size: number): Promise<string> => {
    const { pool, chain } = createPool({ policy: NO_POLICY, limitDescendantCount: 2 });
    const parent = spend(
      crypto,
      [chain.fund(100_000)],
      [
        { value: 40_000, script: LONG },
        { value: 40_000, script: Uint8Array.of(0x51) },
      ],
    );
    const first = spend(crypto, [outpointOf(parent, 1)], [{ value: 30_000, script: LONG }]);
    for (const tx of [parent, first]) t.equal((await pool.accept(tx)).reject, null);
    // The transaction has 62 bytes in addition to the script.
    const second = spend(crypto, [outpointOf(parent, 0)], [{ value: 20_000, script: new Uint8Array(size - 62).fill(0x61) }]);
    t.equal(second.vsize, size);
    return (await pool.accept(second)).reject?.reason ?? 'ok';
  };
  t.equal(await judge(10_000), 'ok');
  t.equal(await judge(10_001), 'too-long-mempool-chain');
});

t.test('halves the minimum fee rate in 12 hours, or in 6 or 3 when the mempool is emptier', async (t) => {
  /** Returns the minimum fee rate some seconds after a block. It is 8,000 at first. */
  const after = (seconds: number, usageBytes: number): number => {
    const clock = new HandClock();
    const pool = {
      eviction: { worst: 0 as number | undefined },
      size: 1,
      usageBytes: 1_000_001,
      rows: { descendantFees: [7_000], descendantSize: [1_000] },
      links: { hasChildren: () => false },
      remove() {
        this.eviction.worst = undefined;
      },
    };
    const eviction = new Eviction(pool as unknown as TxPool, { ...DEFAULT_MEMPOOL, maxUsageBytes: 1_000_000 }, clock, silentLogger);
    eviction.trim();
    t.equal(eviction.minFeeRate(), 8_000, 'what left paid 7,000, and one step of 1,000');
    pool.usageBytes = usageBytes;
    clock.seconds += 100_000;
    t.equal(eviction.minFeeRate(), 8_000, 'nothing changes before a block');
    eviction.blockConnected();
    clock.seconds += seconds;
    return eviction.minFeeRate();
  };
  const HOUR = 3_600;
  t.same([after(3 * HOUR, 249_999), after(3 * HOUR, 250_000)], [4_000, 5_657]);
  t.same([after(6 * HOUR, 250_000), after(6 * HOUR, 499_999), after(6 * HOUR, 500_000)], [4_000, 4_000, 5_657]);
  t.same([after(12 * HOUR, 500_000), after(12 * HOUR, 1_000_000)], [4_000, 4_000]);
  t.same([after(10, 0), after(11, 0)], [8_000, 7_994], 'at most every ten seconds');
  t.same([after(9 * HOUR, 0), after(12 * HOUR, 0), after(12 * HOUR + 11, 0)], [1_000, 1_000, 0], 'below half a step it is gone');
});

t.test('returns up to 20,000,000 bytes of transactions to the mempool after a reorganisation', async (t) => {
  /** Returns which transactions of a block of twenty return to the mempool. @param last script bytes of the last one */
  const back = async (last: number): Promise<boolean[]> => {
    const { pool, chain } = createPool({ policy: NO_POLICY });
    // In memory each transaction, also the coinbase, takes 848 bytes and its script in steps of 16 bytes: 999,104 for
    // 999,088.
    const txs = Array.from({ length: 20 }, (_, i) =>
      spend(crypto, [chain.fund(50_000)], [{ value: 40_000, script: new Uint8Array(i < 19 ? 999_088 : last).fill(0x61) }]),
    );
    chain.connect(txs);
    chain.reorg(1, [[], []]);
    await pool.settled();
    return txs.map((tx) => pool.has(tx.txid));
  };
  // 21 x 848 + 19 x 999,104 + 999,216 = 20,000,000.
  t.same(
    await back(999_200),
    Array.from({ length: 20 }, () => true),
  );
  t.same(await back(999_201), [...Array.from({ length: 19 }, () => true), false], 'the newest is left out');
});
