// Wallets at a start: -rescan scans past blocks. Options that make payments expensive cause a warning in Core's words,
// in the log and in the replies of createwallet and loadwallet.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { until } from '../framework/until.js';

const OTHER = 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE';

t.test('loads wallets at the start as configured', async (t) => {
  const node = await Daemon.startFor(t, '-keypool=3');
  const log = (): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  // The log file is written with a short delay, so wait for a line.
  const logged = (text: string): Promise<void> => until(text, () => log().includes(text));
  t.equal((await node.call('createwallet', 'w', true, true, null, false, false, true)).warning, '');
  await node.call('generatetoaddress', 5, OTHER);
  await node.call('importaddress', OTHER, '', false);
  const count = async (): Promise<number> => (await node.call('getwalletinfo')).txcount;
  t.equal(await count(), 0, 'without a scan it does not know');
  await node.kill();
  await node.up();
  t.equal(await count(), 0, 'nor after a start');
  await node.kill();
  await node.up('-rescan', '-fallbackfee=0.01', '-maxtxfee=1');
  t.equal(await count(), 5, 'after -rescan');
  t.notMatch(log(), /is set very high/, 'as high as may be');

  t.equal((await node.stop()).code, 0);
  await node.up(
    '-mintxfee=0.01000001',
    '-maxapsfee=0.00010001',
    '-fallbackfee=0.02',
    '-discardfee=0.03',
    '-paytxfee=0.04',
    '-maxtxfee=1.00000001',
  );
  const warnings = [
    '-mintxfee is set very high! This is the minimum transaction fee you pay on every transaction.',
    '-maxapsfee is set very high! This is the maximum transaction fee you pay (in addition to the normal fee) to prioritize partial spend avoidance over regular coin selection.',
    '-fallbackfee is set very high! This is the transaction fee you may pay when fee estimates are not available.',
    '-discardfee is set very high! This is the transaction fee you may discard if change is smaller than dust at this level',
    '-paytxfee is set very high! This is the transaction fee you will pay if you send a transaction.',
    '-maxtxfee is set very high! Fees this large could be paid on a single transaction.',
  ];
  for (const warning of warnings) await logged(warning);
  for (const warning of warnings) t.equal(log().split(warning).length, 2, `${warning} once in the log`);
  t.equal(
    (await node.call('createwallet', 'x', false, false, '', false, true)).warning,
    ['Empty string given as passphrase, wallet will not be encrypted.', ...warnings].join('\n'),
  );
  await node.call('unloadwallet', 'x');
  t.equal((await node.call('loadwallet', 'x')).warning, warnings.join('\n'));
  t.equal((await node.stop()).code, 0);
  await node.up('-minrelaytxfee=0.02');
  await logged('-minrelaytxfee is set very high! The wallet will avoid paying less than the minimum relay fee.');
});
