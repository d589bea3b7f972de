// Core: wallet/rpc/spend.cpp, bumpfee_helper.

import { parseTx, type TxView } from '../../../consensus/tx/tx-view.js';
import { follows } from '../../../policy/compat.js';
import { extractTx, fieldsOf } from '../../../psbt/index.js';
import { type Bump, commitBump, createBump, inPaymentQueue, sign, WALLET_FLAG, type Wallet } from '../../../wallet/index.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { BUMP_ARGS, BUMP_MEMBERS } from '../../declare/bump-parts.js';
import { declare } from '../../declare/parameters.js';
import { hex, obj } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { outpointsOf } from '../../node/signing-args.js';
import { hashHex } from '../../render/hex.js';
import { walletOf } from '../../wallet/select.js';
import { toolsOf } from '../../wallet/spend-args.js';
import { bumpArgs, fees, refuse } from '../../wallet/spend-bump.js';
import { walletPsbt } from '../../wallet/spend-psbt.js';
import { psbtbumpfee } from './psbtbumpfee.js';

export const spec = declare({
  name: 'bumpfee',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description:
    'Replaces an unconfirmed, replaceable payment of the wallet by one with a higher fee. The fee comes from the\nchange, or from additional coins.\nThe wallet must be unlocked. The payment must have no descendants, and all its inputs must belong to the\nwallet.',
  args: BUMP_ARGS,
  results: [obj([hex('txid', 'The new transaction id'), ...BUMP_MEMBERS])],
  examples: [{ title: 'Pay more', cli: '"txid"' }],
  waits: true,
});

const NO_KEYS = 'bumpfee is not available with wallets that have private keys disabled. Use psbtbumpfee instead.';

const DEPRECATED =
  'Using bumpfee with wallets that have private keys disabled is deprecated. Use psbtbumpfee instead or restart bitcoind with -deprecatedrpc=bumpfee. This functionality will be removed in 0.22';

export const bumpfee: WalletRun<typeof spec> = async (params, ctx, call) => {
  const { record } = walletOf(ctx, call);
  const isOutside = record.has(WALLET_FLAG.EXTERNAL_SIGNER);
  if (record.privateKeysDisabled && !isOutside) {
    if (toolsOf(ctx).options.bumpGivesPsbt) return psbtbumpfee(params, ctx, call);
    return follows(ctx.compat, 31) ? fail(RPC_CODE.WALLET_ERROR, NO_KEYS) : fail(RPC_CODE.METHOD_DEPRECATED, DEPRECATED);
  }
  const { wallet, txid, control, wishes } = await bumpArgs(ctx, params, call, false);
  const tools = toolsOf(ctx);
  return inPaymentQueue(wallet, async () => {
    const bump = await createBump(wallet, txid, control, wishes, tools, (tx) => ctx.client.outputs(outpointsOf(tx)));
    if ('error' in bump) return refuse(bump);
    const signed = isOutside ? await signedOutside(ctx, wallet, bump) : await sign(wallet, bump.tx, tools);
    const tx = signed ?? fail(RPC_CODE.WALLET_ERROR, "Can't sign transaction.");
    const obstacle = await commitBump(wallet, txid, { tx, chosen: bump.chosen }, tools);
    if (obstacle) return fail(RPC_CODE.WALLET_ERROR, obstacle.error);
    return { txid: hashHex(tx.txid), ...fees(bump) };
  });
};

/** Returns the replacement, signed by the wallet's external signer. */
async function signedOutside(ctx: WalletContext, wallet: Wallet, bump: Bump): Promise<TxView> {
  const { psbt, complete } = await walletPsbt(ctx, wallet, fieldsOf(bump.tx), { sign: true, derivations: true });
  return complete ? parseTx(extractTx(psbt), ctx.crypto) : fail(RPC_CODE.WALLET_ERROR, 'Transaction incomplete. Try psbtbumpfee instead.');
}
