// Tests the estimated share of the network's history that is verified, compared with sums that are written out.
import t, { type Test } from 'tap';
import type { HeaderNode } from '../../../src/chain/tree/header-node.js';
import { verificationProgress } from '../../../src/chain/tree/verification-progress.js';
import { chainParams } from '../../../src/consensus/params/networks.js';

/** Time of the last block that mainnet's figures include. */
const COUNTED = 1_772_055_173;
const main = chainParams('main');
const node = (height: number, time: number, chainTxCount: number): HeaderNode => ({ height, time, chainTxCount }) as HeaderNode;
const close = (t: Test, found: number, wanted: number): void => void t.ok(Math.abs(found - wanted) < 1e-9, `${found} is ${wanted}`);

t.test('estimates the total from the figures of the network while few transactions are verified', async (t) => {
  // Mainnet's figures: 1,315,805,869 transactions up to that time, and 5.40111006496122 a second since then.
  close(t, verificationProgress(node(400_000, 1_456_000_000, 657_902_934), 938_343, main, COUNTED), 0.49999999962);
  close(
    t,
    verificationProgress(node(400_000, 1_456_000_000, 657_902_934), 938_343, main, COUNTED + 1_000_000),
    657_902_934 / 1_321_206_979.065,
  );
});

t.test('adds transactions since the time of the block once more are verified than the statistics count', async (t) => {
  const late = node(950_000, COUNTED + 7_000_000, 1_400_000_000);
  close(t, verificationProgress(late, 951_000, main, COUNTED + 8_000_000), 1_400_000_000 / 1_405_401_110.065);
});

t.test('is 1 at the tip, and estimates missing blocks by height when the block is less than two hours old', async (t) => {
  const now = COUNTED + 9_000_000;
  for (const age of [0, 1_800, 7_200, -7_200])
    t.equal(verificationProgress(node(950_000, now - age, 1_400_000_000), 950_000, main, now), 1, `${age}`);
  t.ok(verificationProgress(node(950_000, now - 7_201, 1_400_000_000), 950_000, main, now) < 1);
  close(
    t,
    verificationProgress(node(950_000, now - 1_800, 1_400_000_000), 950_003, main, now),
    1_400_000_000 / (1_400_000_000 + 1_800 * 5.40111006496122),
  );
});

t.test('is 1 on a regtest chain of any age without transaction statistics', async (t) => {
  const old = chainParams('regtest', { regtest: { activity: { time: 0, transactions: 0, rate: 0 } } });
  t.equal(verificationProgress(node(100, 1_606_961_320, 101), 100, old, 1_800_000_000), 1);
  const newer = verificationProgress(node(100, 1_606_961_320, 101), 100, chainParams('regtest'), 1_800_000_000);
  close(t, newer, 101 / (101 + 193_038.68));
});
