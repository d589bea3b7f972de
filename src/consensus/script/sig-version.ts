// Script versions, and the data to which taproot signatures commit in addition to the transaction. Shared by the
// interpreter, its checkers and the signature hashes.

/** Rules under which a script runs. */
export const SigVersion = {
  /** Bare and P2SH scripts. */
  BASE: 0,
  /** BIP-0141 version 0 programs, sighash of BIP-0143. */
  WITNESS_V0: 1,
  /** Key path of BIP-0341. */
  TAPROOT: 2,
  /** Leaf version c0 of BIP-0342. */
  TAPSCRIPT: 3,
} as const;

export type SigVersionCode = (typeof SigVersion)[keyof typeof SigVersion];

/** Value of `codeSeparatorPos` while no OP_CODESEPARATOR was executed. */
export const NO_CODE_SEPARATOR = 0xffffffff;

/**
 * Data to which taproot signatures commit in addition to the transaction, and the signature budget (BIP-0341,
 * BIP-0342).
 */
export class TaprootContext {
  /** SHA-256 of the annex with its size, null without annex. */
  annexHash: Uint8Array | null = null;
  /** Hash of the executed leaf; null on the key path. */
  tapleafHash: Uint8Array | null = null;
  /** Opcode index of the last executed OP_CODESEPARATOR. */
  codeSeparatorPos = NO_CODE_SEPARATOR;
  /** Weight units left for signature checks. */
  validationWeightLeft = 0;
}
