import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, num, obj } from '../../declare/parts.js';
import { hashHex } from '../../render/hex.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'listlockunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the coins that lockunspent has locked.',
  args: [],
  results: [arr([obj([hex('txid', 'Transaction'), num('vout', 'Output')])])],
  examples: [{ cli: '', rpc: '' }],
});

export const listlockunspent: WalletRun<typeof spec> = (_, ctx, call) => {
  const wallet = walletOf(ctx, call);
  return [...wallet.ledger.locked.values()]
    .map((outpoint) => ({ txid: outpoint.subarray(0, 32), vout: new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true) }))
    .sort((a, b) => Buffer.compare(a.txid, b.txid) || a.vout - b.vout)
    .map(({ txid, vout }) => ({ txid: hashHex(txid), vout }));
};
