// Error after which the chain's memory and storage may disagree.

/**
 * Thrown after storage or the verifier failed, or after a follower threw. The node must stop. `cause` is the first
 * error.
 */
export class ChainFault extends Error {
  readonly code = 'CHAIN_FAULT';
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ChainFault';
  }
}
