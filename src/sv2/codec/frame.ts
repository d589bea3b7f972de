// Frames (specification, 3.2 "Framing"): a header of 6 bytes, then the payload. msg_length counts the payload as
// plaintext.
//
//   0  extension_type  U16   bit 15: the message belongs to a channel; bits 0 to 14: the extension, 0 for the core messages
//   2  msg_type        U8
//   3  msg_length      U24
import { ByteReader } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { readU24, writeU24 } from './fields.js';

export const FRAME_HEADER_BYTES = 6;
const CHANNEL_BIT = 0x8000;

/** extension_type of extension negotiation. */
export const EXTENSION_NEGOTIATION = 1;

/** msg_type of the core messages that template clients and this server exchange. */
export const MESSAGE = {
  SETUP_CONNECTION: 0x00,
  SETUP_CONNECTION_SUCCESS: 0x01,
  SETUP_CONNECTION_ERROR: 0x02,
  COINBASE_OUTPUT_CONSTRAINTS: 0x70,
  NEW_TEMPLATE: 0x71,
  SET_NEW_PREV_HASH: 0x72,
  REQUEST_TRANSACTION_DATA: 0x73,
  REQUEST_TRANSACTION_DATA_SUCCESS: 0x74,
  REQUEST_TRANSACTION_DATA_ERROR: 0x75,
  SUBMIT_SOLUTION: 0x76,
} as const;

/**
 * msg_type of the messages of extension negotiation. REQUEST and the core message SetupConnection are both 0x00;
 * extension_type tells them apart.
 */
export const EXTENSION_MESSAGE = { REQUEST: 0x00, SUCCESS: 0x01, ERROR: 0x02 } as const;

export interface FrameHeader {
  /** Bits 0 to 14 of extension_type. */
  readonly extension: number;
  readonly channel: boolean;
  readonly type: number;
  /** Bytes of the payload. */
  readonly length: number;
}

/** @param bytes the 6 bytes of a header */
export function decodeFrameHeader(bytes: Uint8Array): FrameHeader {
  const reader = new ByteReader(bytes);
  const extension = reader.u16();
  const type = reader.u8();
  return { extension: extension & ~CHANNEL_BIT, channel: (extension & CHANNEL_BIT) !== 0, type, length: readU24(reader) };
}

/** @param length bytes of the payload, below 2^24 */
export function encodeFrameHeader(extension: number, type: number, length: number): Uint8Array {
  return writeU24(new ByteWriter(FRAME_HEADER_BYTES).u16(extension).u8(type), length).finish();
}
