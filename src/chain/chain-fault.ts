// The error of a chain that can no longer trust its storage.

/** Storage or the verifier failed; the node has to stop. `cause` holds the first error. */
export class ChainFault extends Error {
  readonly code = 'CHAIN_FAULT';
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ChainFault';
  }
}
