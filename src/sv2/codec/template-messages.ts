// Messages of the Template Distribution Protocol (specification, chapter 7). Hashes are in the order of block headers.
//
//   CoinbaseOutputConstraints       coinbase_output_max_additional_size U32, coinbase_output_max_additional_sigops U16
//   NewTemplate                     template_id U64, future_template BOOL, version U32, coinbase_tx_version U32, coinbase_prefix B0_255,
//                                   coinbase_tx_input_sequence U32, coinbase_tx_value_remaining U64, coinbase_tx_outputs_count U32,
//                                   coinbase_tx_outputs B0_64K, coinbase_tx_locktime U32, merkle_path SEQ0_255[U256]
//   SetNewPrevHash                  template_id U64, prev_hash U256, header_timestamp U32, nBits U32, target U256
//   RequestTransactionData          template_id U64
//   RequestTransactionData.Success  template_id U64, excess_data B0_64K, transaction_list SEQ0_64K[B0_16M]
//   RequestTransactionData.Error    template_id U64, error_code STR0_255
//   SubmitSolution                  template_id U64, version U32, header_timestamp U32, header_nonce U32, coinbase_tx B0_64K
import { ByteReader } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { readAll, readLong, writeLong, writeShort, writeString, writeU24 } from './fields.js';

/** Offset of BOOL future_template in an encoded NewTemplate. The two forms of a template differ in this byte only. */
export const FUTURE_TEMPLATE_AT = 8;
/** Default for clients from before March 2025, which send no sigops: the number that Bitcoin Core reserves for a coinbase. */
const OLD_CLIENTS_SIGOPS = 400;
const OLD_CONSTRAINTS_BYTES = 4;

export interface CoinbaseOutputConstraints {
  /** Bytes of the outputs that the client adds, including value and script length of each. */
  readonly maxAdditionalSize: number;
  /** Sigop cost of those outputs. */
  readonly maxAdditionalSigops: number;
}

/** @throws DecodeError */
export function decodeConstraints(payload: Uint8Array): CoinbaseOutputConstraints {
  const reader = new ByteReader(payload);
  const maxAdditionalSize = reader.u32();
  const maxAdditionalSigops = payload.length === OLD_CONSTRAINTS_BYTES ? OLD_CLIENTS_SIGOPS : reader.u16();
  return readAll(reader, { maxAdditionalSize, maxAdditionalSigops });
}

export interface NewTemplate {
  readonly templateId: bigint;
  /** True if the template builds on the tip of the next SetNewPrevHash; false: on the tip of the last one that was sent. */
  readonly future: boolean;
  readonly version: number;
  readonly coinbaseVersion: number;
  /** Beginning of the coinbase's script: the height. */
  readonly coinbasePrefix: Uint8Array;
  readonly coinbaseSequence: number;
  /** Satoshis that the client's outputs share. */
  readonly valueRemaining: number;
  /** Serialised outputs that must be the last ones of the coinbase. */
  readonly outputs: readonly Uint8Array[];
  readonly coinbaseLocktime: number;
  /** Hashes of 32 bytes, beginning with the coinbase's sibling. */
  readonly merklePath: readonly Uint8Array[];
}

export function encodeNewTemplate(template: NewTemplate): Uint8Array {
  const writer = new ByteWriter(160 + 32 * template.merklePath.length)
    .u64(template.templateId)
    .u8(template.future ? 1 : 0)
    .u32(template.version)
    .u32(template.coinbaseVersion);
  writeShort(writer, template.coinbasePrefix).u32(template.coinbaseSequence).u64(template.valueRemaining).u32(template.outputs.length);
  const outputs = new ByteWriter(64);
  for (const output of template.outputs) outputs.bytes(output);
  writeLong(writer, outputs.finish()).u32(template.coinbaseLocktime).u8(template.merklePath.length);
  for (const hash of template.merklePath) writer.bytes(hash);
  return writer.finish();
}

export interface SetNewPrevHash {
  readonly templateId: bigint;
  readonly prevHash: Uint8Array;
  /** Seconds since 1970. The client's header time starts from it. */
  readonly headerTimestamp: number;
  readonly bits: number;
  readonly target: bigint;
}

export function encodeSetNewPrevHash(message: SetNewPrevHash): Uint8Array {
  const writer = new ByteWriter(80).u64(message.templateId).bytes(message.prevHash).u32(message.headerTimestamp).u32(message.bits);
  for (let word = 0n; word < 4n; word++) writer.u64((message.target >> (word * 64n)) & 0xffff_ffff_ffff_ffffn);
  return writer.finish();
}

/** Decodes RequestTransactionData. @returns template_id @throws DecodeError */
export function decodeRequestTransactionData(payload: Uint8Array): bigint {
  const reader = new ByteReader(payload);
  return readAll(reader, reader.u64big());
}

/** @param transactions serialised with witness, without the coinbase; at most 65,535 of them, each below 2^24 bytes */
export function encodeTransactionData(templateId: bigint, transactions: readonly Uint8Array[]): Uint8Array {
  let size = 12;
  for (const transaction of transactions) size += 3 + transaction.length;
  // excess_data is empty: clients ignore it.
  const writer = new ByteWriter(size).u64(templateId).u16(0).u16(transactions.length);
  for (const transaction of transactions) writeU24(writer, transaction.length).bytes(transaction);
  return writer.finish();
}

/** Error codes for a request for an unknown or replaced template. */
export type TransactionDataError = 'template-id-not-found' | 'stale-template-id';

export function encodeTransactionDataError(templateId: bigint, errorCode: TransactionDataError): Uint8Array {
  return writeString(new ByteWriter(32).u64(templateId), errorCode).finish();
}

export interface SubmitSolution {
  readonly templateId: bigint;
  readonly version: number;
  readonly headerTimestamp: number;
  readonly headerNonce: number;
  /** Serialised, with its witness. */
  readonly coinbase: Uint8Array;
}

/** @throws DecodeError */
export function decodeSubmitSolution(payload: Uint8Array): SubmitSolution {
  const reader = new ByteReader(payload);
  return readAll(reader, {
    templateId: reader.u64big(),
    version: reader.u32(),
    headerTimestamp: reader.u32(),
    headerNonce: reader.u32(),
    coinbase: readLong(reader),
  });
}
