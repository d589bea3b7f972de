// Errors of jobs about scan objects. An error object does not cross threads as an instance of its class.
import { RpcError, TypeFault } from '../errors.js';

/** An error for the client. */
export interface JobError {
  readonly code: number;
  readonly message: string;
  /** Text of newer releases, if the error is about the type of an argument (TypeFault). */
  readonly later?: string;
  /** Line for the log; null for none. */
  readonly log: string | null;
}

/** Returns an error as a message. */
export function jobErrorOf(error: RpcError, log: string | null = null): JobError {
  const { code, message } = error;
  return error instanceof TypeFault ? { code, message, later: error.later, log } : { code, message, log };
}

/** Returns the error of a message. */
export const errorOfJob = ({ code, message, later }: JobError): RpcError =>
  later === undefined ? new RpcError(code, message) : new TypeFault(code, message, later);
