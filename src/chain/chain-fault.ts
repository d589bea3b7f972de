// Error of a chain whose memory and storage may disagree.

/**
 * Thrown after storage or the verifier failed, or a follower threw. The node must stop. `cause` has the first error.
 */
export class ChainFault extends Error {
  readonly code = 'CHAIN_FAULT';
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ChainFault';
  }
}
