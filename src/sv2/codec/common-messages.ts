// Messages of every Stratum V2 protocol (specification, 3.6 "Common Protocol Messages"), and of extension negotiation
// (extension 0x0001).
//
//   SetupConnection          protocol U8, min_version U16, max_version U16, flags U32, endpoint_host STR0_255, endpoint_port U16,
//                            vendor STR0_255, hardware_version STR0_255, firmware STR0_255, device_id STR0_255
//   SetupConnection.Success  used_version U16, flags U32
//   SetupConnection.Error    flags U32, error_code STR0_255
//   RequestExtensions        request_id U16, requested_extensions SEQ0_64K[U16]
//   RequestExtensions.Error  request_id U16, unsupported_extensions SEQ0_64K[U16], required_extensions SEQ0_64K[U16]
import { ByteReader } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { readAll, readNumbers, readString, writeNumbers, writeString } from './fields.js';

/** The protocol number of SetupConnection that this server accepts. */
export const TEMPLATE_DISTRIBUTION = 2;
/** Version of the specification. */
export const SV2_VERSION = 2;

export interface SetupConnection {
  readonly protocol: number;
  readonly minVersion: number;
  readonly maxVersion: number;
  readonly flags: number;
  readonly endpointHost: string;
  readonly endpointPort: number;
  readonly vendor: string;
  readonly hardwareVersion: string;
  readonly firmware: string;
  readonly deviceId: string;
}

/** @throws DecodeError */
export function decodeSetupConnection(payload: Uint8Array): SetupConnection {
  const reader = new ByteReader(payload);
  return readAll(reader, {
    protocol: reader.u8(),
    minVersion: reader.u16(),
    maxVersion: reader.u16(),
    flags: reader.u32(),
    endpointHost: readString(reader),
    endpointPort: reader.u16(),
    vendor: readString(reader),
    hardwareVersion: readString(reader),
    firmware: readString(reader),
    deviceId: readString(reader),
  });
}

export function encodeSetupConnectionSuccess(usedVersion: number, flags: number): Uint8Array {
  return new ByteWriter(6).u16(usedVersion).u32(flags).finish();
}

/** @param flags the flags that are not supported; 0 if the reason is another */
export function encodeSetupConnectionError(flags: number, errorCode: string): Uint8Array {
  return writeString(new ByteWriter().u32(flags), errorCode).finish();
}

export interface RequestExtensions {
  readonly requestId: number;
  readonly requested: readonly number[];
}

/** @throws DecodeError */
export function decodeRequestExtensions(payload: Uint8Array): RequestExtensions {
  const reader = new ByteReader(payload);
  return readAll(reader, { requestId: reader.u16(), requested: readNumbers(reader) });
}

export function encodeRequestExtensionsError(requestId: number, unsupported: readonly number[], required: readonly number[]): Uint8Array {
  return writeNumbers(writeNumbers(new ByteWriter().u16(requestId), unsupported), required).finish();
}
