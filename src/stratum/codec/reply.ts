// Writes lines for miners: replies, always with both members `result` and `error`, and messages without an id. The lines
// are Latin-1 texts (text.ts).
import { latin1Json } from './text.js';

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
  /** Text of the error. Miners display the text and count their rejected shares by it, so only few texts are used. */
  readonly text: string;
}

/** Encodes the reply to a request that succeeded. @param id JSON text of the request's id */
export function encodeResult(id: string, result: unknown): string {
  return `{"id":${id},"result":${result === true ? 'true' : latin1Json(result)},"error":null}\n`;
}

/** Encodes an error reply. @param id JSON text of the request's id */
export function encodeError(id: string, { code, text }: StratumError): string {
  return `{"id":${id},"result":null,"error":[${code},${latin1Json(text)},null]}\n`;
}

/** Encodes mining.set_difficulty, which is valid from the next job on. */
export function encodeSetDifficulty(difficulty: number): string {
  return `{"id":null,"method":"mining.set_difficulty","params":[${JSON.stringify(difficulty)}]}\n`;
}
