// Tests texts that the signing calls accept as a transaction.
import t from 'tap';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { asUnsignedTx } from '../../../src/rpc/node/signing-args.js';

const crypto = createNativeCrypto();
const PAYS = '00e1f50500000000160014751e76e8199196d454941c45d1b3a323f1433bd6';

t.test('rejects a transaction without inputs unless it has no outputs either', async (t) => {
  const read = (text: string) => asUnsignedTx({ crypto }, text);
  const refusal = { code: -22, message: 'TX decode failed. Make sure the tx has at least one input.' };
  t.throws(() => read(`020000000001${PAYS}00000000`), refusal, 'Core takes it for one with witnesses');
  t.throws(() => read('02000000000100000000000000000000000000'), refusal);
  t.throws(() => read('zz'), refusal);
  t.equal(read('02000000000000000000').inputCount, 0);
  const input = `01${'11'.repeat(32)}0000000000ffffffff`;
  t.equal(read(`02000000${input}01${PAYS}00000000`).inputCount, 1);
});
