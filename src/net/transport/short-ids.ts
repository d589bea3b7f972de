// Contents of encrypted packets: one byte for the message's name, or zero and the name, then the payload (BIP-0324).
import { COMMAND_BYTES, readCommand } from '../wire/frame.js';

/** Names by number, starting at 1. */
// biome-ignore format: a list reads better filled
const NAMES = [
  'addr', 'block', 'blocktxn', 'cmpctblock', 'feefilter', 'filteradd', 'filterclear', 'filterload', 'getblocks', 'getblocktxn', 'getdata',
  'getheaders', 'headers', 'inv', 'mempool', 'merkleblock', 'notfound', 'ping', 'pong', 'sendcmpct', 'tx', 'getcfilters', 'cfilter',
  'getcfheaders', 'cfheaders', 'getcfcheckpt', 'cfcheckpt', 'addrv2',
] as const;
const numbers = new Map<string, Uint8Array>(NAMES.map((name, i) => [name, Uint8Array.of(i + 1)]));

/** Returns the bytes before the payload: 1 or 13. @param command at most 12 ASCII characters */
export function nameBytes(command: string): Uint8Array {
  const short = numbers.get(command);
  if (short !== undefined) return short;
  const long = new Uint8Array(1 + COMMAND_BYTES);
  for (let i = 0; i < command.length; i++) long[1 + i] = command.charCodeAt(i);
  return long;
}

/** Splits contents into name and payload. @returns null if there is no valid name */
export function splitContents(contents: Uint8Array): { readonly command: string; readonly payload: Uint8Array } | null {
  const [number] = contents;
  if (number === undefined) return null;
  if (number !== 0) {
    const command = NAMES[number - 1];
    return command === undefined ? null : { command, payload: contents.subarray(1) };
  }
  if (contents.length < 1 + COMMAND_BYTES) return null;
  const { text, valid } = readCommand(contents.subarray(1, 1 + COMMAND_BYTES));
  return valid ? { command: text, payload: contents.subarray(1 + COMMAND_BYTES) } : null;
}
