// Face of this module.
export { analyzePsbt, type InputAnalysis } from './analyze-psbt.js';
export { finalizePsbt } from './finalize-psbt.js';
export { MaterialGatherer } from './gather-material.js';
export { presignInputs } from './presign-inputs.js';
export { dropUnneededTransactions, isDone, psbtSigning, signPsbtInput, updatePsbtOutput } from './psbt-input.js';
export { MISSING_AMOUNT, type SigningResult, signInput } from './sign-input.js';
export {
  combineTransactions,
  type SignedInput,
  type SigningThreads,
  type SigningTools,
  signTransaction,
  withInputs,
} from './sign-transaction.js';
export { FlatProvider, HidingProvider, idsOfXOnly, type KeyOrigin, type SigningProvider, StackedProvider } from './signing-provider.js';
export { type SigningTx, signingTx, UNKNOWN_AMOUNT } from './signing-tx.js';
