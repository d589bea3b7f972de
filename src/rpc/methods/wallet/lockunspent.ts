import { isLockedCoin, outpointOf } from '../../../wallet/index.js';
import { asHash, asInt, asObject, checkMembers } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, num, obj } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { settledWallet } from '../../wallet/select.js';

export const spec = declare({
  name: 'lockunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Locks coins, so that the wallet does not spend them, or unlocks them. Locks last until the wallet is unloaded,\npersistent locks longer.',
  args: [
    bool('unlock', 'true unlocks the coins, false locks them', { checked: true }),
    arr('transactions', 'The coins. If omitted, all coins', { checked: true, seesAbsence: true, default: '[]' }, [
      obj({ optional: true }, [hex('txid', 'Transaction'), num('vout', 'Output')]),
    ]),
    bool('persistent', 'Whether the locks last after the wallet was unloaded', { since: 23, default: 'false' }),
  ],
  results: [bool('true')],
  examples: [
    {
      cli: 'false "[{\\"txid\\":\\"mytxid\\",\\"vout\\":1}]"',
      rpc: 'false, "[{\\"txid\\":\\"mytxid\\",\\"vout\\":1}]"',
    },
  ],
});

export const lockunspent: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const { unlock, persistent } = params;
  const { ledger } = wallet;
  const set = (chosen: readonly Uint8Array[]): Promise<void> =>
    wallet.change((batch) => {
      for (const outpoint of chosen) {
        if (unlock) ledger.unlockCoin(outpoint, batch);
        else ledger.lockCoin(outpoint, persistent ? batch : null);
      }
    });
  const { transactions } = params;
  if (transactions === undefined) {
    if (unlock) await set([...ledger.locked.values()]);
    return true;
  }
  const outpoints: Uint8Array[] = [];
  for (const item of transactions) {
    const object = asObject(item);
    checkMembers(object, { txid: 'string', vout: 'number' });
    const txid = asHash(object.get('txid'), 'txid');
    const vout = asInt(object.get('vout'));
    const bad = (why: string): never => fail(RPC_CODE.INVALID_PARAMETER, `Invalid parameter, ${why}`);
    if (vout < 0) bad('vout cannot be negative');
    const row = ledger.txs.find(txid);
    if (row < 0) bad('unknown transaction');
    if (vout >= ledger.txs.outputCount(row)) bad('vout index out of bounds');
    const outpoint = outpointOf(txid, vout);
    if (ledger.isSpent(outpoint)) bad('expected unspent output');
    const locked = isLockedCoin(wallet.ledger, outpoint);
    if (unlock && !locked) bad('expected locked output');
    if (!unlock && locked && !persistent) bad('output already locked');
    outpoints.push(outpoint);
  }
  await set(outpoints);
  return true;
};
