// Wire sizes of messages, computed without encoding them.
import { HEADER_BYTES } from '../wire/frame.js';
import { PACKET_OVERHEAD } from './session.js';
import { nameBytes } from './short-ids.js';
import type { TransportType } from './transport.js';

/** Returns the bytes of a message on the wire. @param length bytes of its payload */
export function messageBytes(type: TransportType, command: string, length: number): number {
  // While detecting, messages are sent only on outbound connections, which are encrypted.
  return type === 'v1' ? HEADER_BYTES + length : PACKET_OVERHEAD + nameBytes(command).length + length;
}
