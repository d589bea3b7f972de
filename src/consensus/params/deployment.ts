// Soft forks as parameters: deployments by version bits (BIP-0009 with a minimum activation height), and the activation
// height that disables a buried rule.

/** Start time of a deployment that is active from genesis on. */
export const ALWAYS_ACTIVE = -1n;
/** Start time of a deployment that never starts. RPC replies omit it. */
export const NEVER_ACTIVE = -2n;
/** Timeout of a deployment that does not time out. */
export const NO_TIMEOUT = 0x7fff_ffff_ffff_ffffn;
/** Activation height of a buried rule that is disabled. */
export const NEVER_HEIGHT = 0x7fffffff;

/** Name of the deployment of BIP-0054. */
export const CONSENSUS_CLEANUP = 'consensuscleanup';

/** A soft fork that miners activate by version bits (BIP-0009 with a minimum activation height). */
export interface Deployment {
  readonly name: string;
  /** Bit of the block version, 0..28. */
  readonly bit: number;
  /** Median time from which signals count, in seconds; ALWAYS_ACTIVE or NEVER_ACTIVE. */
  readonly startTime: bigint;
  /** Median time at which the deployment fails, in seconds; NO_TIMEOUT for never. */
  readonly timeout: bigint;
  readonly minActivationHeight: number;
  /** Templates may set the bit even for clients that do not declare support for the rule. */
  readonly gbtForce: boolean;
}
