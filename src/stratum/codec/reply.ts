// Writes lines for miners: replies, always with both members `result` and `error`, and messages without an id.
import { bytesOf } from './text.js';

/** Error codes of the protocol. */
export const ERROR = {
  other: 20,
  jobNotFound: 21,
  duplicate: 22,
  lowDifficulty: 23,
  unauthorized: 24,
  notSubscribed: 25,
} as const;

export interface StratumError {
  readonly code: (typeof ERROR)[keyof typeof ERROR];
  /** Miners show the text and count shares by it, so there are few. */
  readonly text: string;
}

/** Encodes the reply to a request that succeeded. @param id JSON text of the request's id */
export function encodeResult(id: string, result: unknown): Uint8Array {
  return bytesOf(`{"id":${id},"result":${result === true ? 'true' : JSON.stringify(result)},"error":null}\n`);
}

/** Encodes an error reply. @param id JSON text of the request's id */
export function encodeError(id: string, { code, text }: StratumError): Uint8Array {
  return bytesOf(`{"id":${id},"result":null,"error":[${code},${JSON.stringify(text)},null]}\n`);
}

/** Encodes mining.set_difficulty, which is valid from the next job on. */
export function encodeSetDifficulty(difficulty: number): Uint8Array {
  return bytesOf(`{"id":null,"method":"mining.set_difficulty","params":[${JSON.stringify(difficulty)}]}\n`);
}
