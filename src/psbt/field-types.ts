// Types of fields, the first byte of every key: BIP-0174, with TAP in the name BIP-0371, with MUSIG2 BIP-0373, version
// 2 BIP-0370.

/** Magic bytes: "psbt" and ff. */
export const PSBT_MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff);

/** Type of an application's own field, in every map. The key contains the application's identifier. */
export const PROPRIETARY = 0xfc;

/** Types of the global map. */
export const GLOBAL = {
  UNSIGNED_TX: 0x00,
  XPUB: 0x01,
  TX_VERSION: 0x02,
  FALLBACK_LOCKTIME: 0x03,
  INPUT_COUNT: 0x04,
  OUTPUT_COUNT: 0x05,
  TX_MODIFIABLE: 0x06,
  VERSION: 0xfb,
} as const;

/** Types of an input's map. */
export const IN = {
  NON_WITNESS_UTXO: 0x00,
  WITNESS_UTXO: 0x01,
  PARTIAL_SIG: 0x02,
  SIGHASH: 0x03,
  REDEEM_SCRIPT: 0x04,
  WITNESS_SCRIPT: 0x05,
  BIP32_DERIVATION: 0x06,
  FINAL_SCRIPTSIG: 0x07,
  FINAL_SCRIPTWITNESS: 0x08,
  RIPEMD160: 0x0a,
  SHA256: 0x0b,
  HASH160: 0x0c,
  HASH256: 0x0d,
  PREVIOUS_TXID: 0x0e,
  OUTPUT_INDEX: 0x0f,
  SEQUENCE: 0x10,
  REQUIRED_TIME_LOCKTIME: 0x11,
  REQUIRED_HEIGHT_LOCKTIME: 0x12,
  TAP_KEY_SIG: 0x13,
  TAP_SCRIPT_SIG: 0x14,
  TAP_LEAF_SCRIPT: 0x15,
  TAP_BIP32_DERIVATION: 0x16,
  TAP_INTERNAL_KEY: 0x17,
  TAP_MERKLE_ROOT: 0x18,
  MUSIG2_PARTICIPANTS: 0x1a,
  MUSIG2_PUB_NONCE: 0x1b,
  MUSIG2_PARTIAL_SIG: 0x1c,
} as const;

/** Types of an output's map. */
export const OUT = {
  REDEEM_SCRIPT: 0x00,
  WITNESS_SCRIPT: 0x01,
  BIP32_DERIVATION: 0x02,
  AMOUNT: 0x03,
  SCRIPT: 0x04,
  TAP_INTERNAL_KEY: 0x05,
  TAP_TREE: 0x06,
  TAP_BIP32_DERIVATION: 0x07,
  MUSIG2_PARTICIPANTS: 0x08,
} as const;
