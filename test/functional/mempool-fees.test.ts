// Tests fee estimates with real processes: there are none with -blocksonly, they are written to a file every hour, and
// a file of last week is ignored.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon, refusal } from '../framework/daemon.js';
import { until } from '../framework/until.js';

const lean = ['-par=1', '-fallbackfee=0.0003', '-txconfirmtarget=6'];

for (const [compat, disabled] of [
  ['default', true],
  ['31', true],
  ['0.21.1', false],
] as const) {
  t.test(`estimates with -blocksonly, -compat=${compat}`, async (t) => {
    const node = await Daemon.startFor(t, '-blocksonly', '-walletbroadcast=1', `-compat=${compat}`, ...lean);
    if (disabled) {
      for (const call of ['estimatesmartfee', 'estimaterawfee'])
        t.equal(await refusal(node.call(call, 6)), '-32603 Fee estimation disabled');
    } else {
      t.same(await node.call('estimatesmartfee', 6), { errors: ['Insufficient data or no feerate found'], blocks: 0 });
      t.type(await node.call('estimaterawfee', 6), 'object');
    }
    await node.call('createwallet', 'w');
    const address = await node.call('getnewaddress');
    await node.call('generatetoaddress', 101, address);
    const paid = await node.call('sendtoaddress', address, 1, '', '', false, true, null, 'unset', false, null, true);
    t.equal(paid.fee_reason, 'Fallback fee');
    if (disabled)
      t.equal(
        await refusal(node.call('sendtoaddress', address, 1, '', '', false, true, 6)),
        '-8 Invalid conf_target, must be between 1 and 0',
      );
    await node.stop();
    t.equal(fs.existsSync(path.join(node.networkDir, 'fee_estimates.dat')), !disabled);
  });
}

t.test('writes fee estimates every hour and ignores stale files', async (t) => {
  const node = await Daemon.startFor(t, '-disablewallet', '-par=1');
  const file = path.join(node.networkDir, 'fee_estimates.dat');
  const log = path.join(node.networkDir, 'debug.log');
  t.notOk(fs.existsSync(file));
  await node.call('mockscheduler', 3_600);
  await until('the file is there', async () => fs.existsSync(file));
  await node.kill();
  const old = Date.now() / 1000 - 61 * 3_600;
  const warned = (): number => fs.readFileSync(log, 'utf8').split('too old (age=').length - 1;
  fs.utimesSync(file, old, old);
  await node.up();
  t.equal(warned(), 1);
  await node.kill();
  await node.up('-acceptstalefeeestimates=1');
  t.equal(warned(), 1);
  await node.stop();
});
