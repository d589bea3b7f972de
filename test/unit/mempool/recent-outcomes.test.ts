import t from 'tap';
import { RecentOutcomes, type TxOutcome } from '../../../src/mempool/recent-outcomes.js';

const outcome = (time: number): TxOutcome => ({ kind: 'left', reason: 'expiry', debug: '', time, rivals: [] });
const txid = (number: number): Uint8Array => {
  const id = new Uint8Array(32);
  new DataView(id.buffer).setUint32(0, number);
  return id;
};

t.test('remembers the last 4,096 outcomes, and moves a repeated one to the end', async (t) => {
  const fates = new RecentOutcomes();
  for (let i = 0; i < 4_096; i++) fates.addOutcome(txid(i), outcome(i));
  t.equal(fates.size, 4_096);
  fates.addOutcome(txid(0), outcome(5_000));
  t.equal(fates.size, 4_096);
  fates.addOutcome(txid(9_999), outcome(1));
  t.equal(fates.size, 4_096);
  t.equal(fates.get(txid(1)), undefined, 'the oldest is gone');
  t.equal(fates.get(txid(0))?.time, 5_000);
  t.equal(fates.get(txid(2))?.time, 2);
  fates.forgetTransaction(txid(2));
  t.equal(fates.get(txid(2)), undefined);
});
