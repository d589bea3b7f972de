// Core: wallet/rpc/spend.cpp, bumpfee_helper.

import { fieldsOf } from '../../../psbt/index.js';
import { createBump, inPaymentQueue } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { BUMP_ARGS, BUMP_MEMBERS } from '../../declare/bump-parts.js';
import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';
import { outpointsOf } from '../../node/signing-args.js';
import { psbtText } from '../../render/psbt-text.js';
import { toolsOf } from '../../wallet/spend-args.js';
import { bumpArgs, fees, refuse } from '../../wallet/spend-bump.js';
import { walletPsbt } from '../../wallet/spend-psbt.js';

export const spec = declare({
  name: 'psbtbumpfee',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description:
    'Creates the replacement that bumpfee would create, unsigned, as a PSBT. The call sends and records nothing.\nThe wallet must be unlocked.',
  args: BUMP_ARGS,
  results: [obj([str('psbt', 'The PSBT in Base64'), ...BUMP_MEMBERS])],
  examples: [{ title: 'A PSBT that pays more', cli: '"txid"' }],
  waits: true,
});

export const psbtbumpfee: WalletRun<typeof spec> = async (params, ctx, call) => {
  const { wallet, txid, control, wishes, version } = await bumpArgs(ctx, params, call, true);
  const bump = await inPaymentQueue(wallet, () =>
    createBump(wallet, txid, control, wishes, toolsOf(ctx), (tx) => ctx.client.outputs(outpointsOf(tx))),
  );
  if ('error' in bump) return refuse(bump);
  const { psbt } = await walletPsbt(ctx, wallet, fieldsOf(bump.tx), { sign: false, derivations: true, version });
  return { psbt: psbtText(psbt, ctx.crypto, ctx.compat), ...fees(bump) };
};
