// How many bytes messages take on the wire, for those who count them without making them.
import { HEADER_BYTES } from '../wire/frame.js';
import { PACKET_OVERHEAD } from './session.js';
import { nameBytes } from './short-ids.js';
import type { TransportType } from './transport.js';

/** What a message takes on the wire. @param length bytes of its payload */
export function messageBytes(type: TransportType, command: string, length: number): number {
  // Before the first bytes have told we speak only to peers that we call, encrypted.
  return type === 'v1' ? HEADER_BYTES + length : PACKET_OVERHEAD + nameBytes(command).length + length;
}
