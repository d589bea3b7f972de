// Layout of a slot, and error codes. AssemblyScript, compiled to WebAssembly by src/compile-kernel.mjs.
//
// A slot holds one block. All threads share the memory with the slots:
//
//   HEAD     numbers, see below
//   RAW      the block's bytes
//   TXS      48 bytes for each transaction: offsets in the slot of start, inputs, end of the outputs, end; number of
//            inputs, index of the first input, number of outputs, 1 for a witness, sum of the outputs i64, offset of the
//            first output, version
//   INS      offset of each input in the slot, 4 bytes
//   IDS      txids; WIDS: wtxids, and once the coins are known, the offset of each input's record in RESULT
//   DIGEST   levels of merkle trees, then a segment of records for each shard, then undo data
//   RESULT   records of the spent coins: index of the input, length, coin as it is stored; multiples of 4 bytes
//
// Sizes follow from the weight of a block: a million bytes outside witnesses at most, 41 for an input, 9 for an output,
// 60 for a transaction.

export const STATE: u32 = 0;
export const HEIGHT: u32 = 4;
export const LENGTH: u32 = 8;
/** Number of shards that have not applied the block yet. */
export const LEFT: u32 = 12;
/** Bytes of RESULT. */
export const RESULT_LENGTH: u32 = 16;
export const FLAGS: u32 = 20;
export const TX_COUNT: u32 = 24;
export const INPUT_COUNT: u32 = 28;
export const FEES: u32 = 32;
export const UNDO_LENGTH: u32 = 40;
export const SIGOP_COST: u32 = 44;
export const LOCK_TIME_CUTOFF: u32 = 48;
export const PARENT_MEDIAN_TIME: u32 = 52;
/** Number of transactions with a witness. */
export const WITNESS_TXS: u32 = 56;
/** Offset of the coinbase's witness reserved value; 0 if its witness is not one item of 32 bytes. */
export const RESERVED: u32 = 60;
export const SUBSIDY: u32 = 64;
/** Hash of the block, 32 bytes. */
export const HASH: u32 = 72;
/** Checksum of the undo data, 32 bytes. */
export const UNDO_CHECKSUM: u32 = 104;
/** Error code of a refused block. */
export const REFUSAL: u32 = 136;
/** Flags of the scripts (blockScriptFlags). */
export const SCRIPT_FLAGS: u32 = 140;
/** Next input whose scripts no thread has taken, and number of inputs whose scripts have not passed yet. */
export const NEXT_CHECK: u32 = 144;
export const CHECKS_LEFT: u32 = 148;
/** Begin of each shard's segment, then end of each. */
export const SEGMENT_BEGIN: u32 = 256;
export const SEGMENT_END: u32 = 384;
export const MAX_SHARDS: u32 = 32;

export const RAW: u32 = 512;
export const RAW_BYTES: u32 = 4_000_000;
export const MAX_TXS: u32 = 16_666;
export const MAX_INPUTS: u32 = 24_390;
export const MAX_OUTPUTS: u32 = 111_111;
export const TX_BYTES: u32 = 48;
export const TXS: u32 = RAW + RAW_BYTES;
export const INS: u32 = TXS + MAX_TXS * TX_BYTES;
export const IDS: u32 = INS + MAX_INPUTS * 4;
export const WIDS: u32 = IDS + MAX_TXS * 32;
// The offsets of inputs at WIDS need less space than the hashes.
export const DIGEST: u32 = WIDS + MAX_TXS * 32;
export const DIGEST_BYTES: u32 = 6_000_000;
export const RESULT: u32 = DIGEST + DIGEST_BYTES;
export const RESULT_BYTES: u32 = 6_000_000;
export const SLOT_BYTES: u32 = (RESULT + RESULT_BYTES + 65535) & ~65535;
/** Undo data. */
export const UNDO: u32 = DIGEST;

/** Bits of FLAGS. */
export const HEIGHT_IN_COINBASE: u32 = 1;
export const RELATIVE_LOCKS: u32 = 2;
export const COUNT_REDEEM_SCRIPTS: u32 = 4;
export const COUNT_WITNESSES: u32 = 8;
export const NO_OVERWRITES: u32 = 16;
export const WITNESSES: u32 = 32;
export const MAY_REPEAT: u32 = 128;
export const CHECK_SCRIPTS: u32 = 64;

export const MAX_MONEY: i64 = 2_100_000_000_000_000;
export const MAX_SCRIPT: u32 = 10_000;
export const MAX_COST: u32 = 80_000;

/** Error codes: the block is wrong, or so unusual that the ordinary code must decide. */
export const E_TRUNCATED: i32 = 1;
export const E_TX_COUNT: i32 = 2;
export const E_INPUT_COUNT: i32 = 3;
export const E_COINBASE: i32 = 4;
export const E_COINBASE_SCRIPT: i32 = 5;
export const E_REPEATED_INPUT: i32 = 6;
export const E_OUTPUT_COUNT: i32 = 7;
export const E_OUTPUT_VALUE: i32 = 8;
export const E_WITNESS: i32 = 9;
export const E_LOCK_TIME: i32 = 10;
export const E_TRAILING: i32 = 11;
export const E_LEGACY_SIGOPS: i32 = 12;
export const E_WEIGHT: i32 = 13;
export const E_COINBASE_HEIGHT: i32 = 14;
export const E_SEGMENTS: i32 = 20;
export const E_RECORDS: i32 = 30;
export const E_MISSING: i32 = 31;
export const E_IMMATURE: i32 = 32;
export const E_OVERWRITE: i32 = 33;
export const E_RESULTS: i32 = 34;
export const E_MEMORY: i32 = 35;
export const E_COIN: i32 = 36;
export const E_COIN_VALUE: i32 = 40;
export const E_BELOW_OUTPUTS: i32 = 41;
export const E_FEES: i32 = 42;
export const E_SIGOP_COST: i32 = 43;
export const E_COINBASE_AMOUNT: i32 = 44;
export const E_RELATIVE_LOCK: i32 = 45;
export const E_UNDO: i32 = 46;
export const E_HEADER: i32 = 100;
export const E_MERKLE_ROOT: i32 = 101;
export const E_MUTATED: i32 = 102;
export const E_COMMITMENT: i32 = 103;
export const E_UNEXPECTED_WITNESS: i32 = 104;
export const E_SCRIPT: i32 = 105;
