// Face of this module.
export { combinePsbts } from './combine-psbts.js';
export { createPsbt, fieldsOf, type PsbtVersion, withoutSignatures } from './create-psbt.js';
export { encodePsbt } from './encode-psbt.js';
export { extractTx } from './extract-tx.js';
export { GLOBAL, IN, OUT, PROPRIETARY } from './field-types.js';
export { joinPsbts } from './join-psbts.js';
export { fieldKey, isFinal, type Psbt, type PsbtInput, type PsbtOutput, type RawField, sortedBy, type TapKeyPath, utxoOf } from './psbt.js';
export { type PsbtCrypto, PsbtError } from './psbt-reader.js';
export { rawOf, remaining, sortedLeaves } from './raw-fields.js';
export { proprietaryKey } from './read-fields.js';
export { readPsbt, readPsbtSteps } from './read-psbt.js';
export { encodeTapTree, tapTreeLeaves } from './tap-tree.js';
