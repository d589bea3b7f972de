import type { WalletRun } from '../../context/wallet.js';
import { hashHex } from '../../render/hex.js';
import { walletOf } from '../../wallet/select.js';
import type { listlockunspent as spec } from './listlockunspent.spec.js';

export const listlockunspent: WalletRun<typeof spec> = (_, ctx, call) => {
  const wallet = walletOf(ctx, call);
  return [...wallet.ledger.locked.values()]
    .map((outpoint) => ({ txid: outpoint.subarray(0, 32), vout: new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true) }))
    .sort((a, b) => Buffer.compare(a.txid, b.txid) || a.vout - b.vout)
    .map(({ txid, vout }) => ({ txid: hashHex(txid), vout }));
};
