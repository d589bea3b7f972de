// Core 0.21: wallet/rpcwallet.cpp.

import { follows, shows } from '../../../policy/compat.js';
import { extractTx } from '../../../psbt/index.js';
import { checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bool, hex, obj, str } from '../../declare/parts.js';
import { PSBT_ARG } from '../../declare/psbt-parts.js';
import { SIGHASH_TYPE_ARG } from '../../declare/signing-parts.js';
import { asHashType } from '../../node/signing-args.js';
import { bytesHex } from '../../render/hex.js';
import { asPsbtInSlices, psbtText } from '../../render/psbt-text.js';
import { fillPsbtBy } from '../../wallet/external-signer.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';
import { failFill } from '../../wallet/walletprocesspsbt.js';

export const spec = declare({
  name: 'walletprocesspsbt',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Adds data of the wallet to a PSBT, and signs the inputs that it can sign. A locked wallet signs nothing.',
  args: [
    PSBT_ARG,
    bool('sign', 'Whether to sign', { default: 'true' }),
    SIGHASH_TYPE_ARG,
    bool('bip32derivs', 'Whether to include the derivation paths of keys (BIP32)', { default: 'true' }),
    bool('finalize', 'Whether to finalize complete inputs', { since: 23, default: 'true' }),
  ],
  results: [
    obj([
      str('psbt', 'The PSBT in Base64'),
      bool('complete', 'Whether all inputs are final'),
      hex('hex?', 'The transaction as hex, only if all inputs are final', { since: 26 }),
    ]),
  ],
  examples: [{ cli: '"psbt"' }],
});

export const walletprocesspsbt: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(params.args, ['string', 'bool', 'string'], true);
  const psbt = await asPsbtInSlices(params.psbt, ctx);
  const hashType = params.sighashtype === undefined ? null : asHashType(params.sighashtype, ctx);
  const { sign, bip32derivs: derivations, finalize } = params;
  if (sign && follows(ctx.compat, 22)) ensureUnlocked(wallet);
  const options = { hashType, sign, derivations, finalize, later: follows(ctx.compat, 32) };
  const outcome = await fillPsbtBy(ctx, wallet, psbt, options);
  if ('fault' in outcome) return failFill(outcome.fault);
  const { complete } = outcome;
  return {
    psbt: psbtText(psbt, ctx.crypto, ctx.compat),
    complete,
    ...(complete && shows(ctx.compat, { since: 26 }) && { hex: bytesHex(extractTx(psbt)) }),
  };
};
