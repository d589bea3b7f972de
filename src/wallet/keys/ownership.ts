// What a script is to a wallet (Core's isminetype). Used by every part of the wallet and by RPC.

/**
 * NO: another owner's. WATCH: followed, not spendable by this wallet. SPENDABLE: the wallet has what a signature needs.
 */
export const OWNERSHIP = { NO: 0, WATCH: 1, SPENDABLE: 2 } as const;
export type Ownership = (typeof OWNERSHIP)[keyof typeof OWNERSHIP];

/** Which classes a caller counts, as bits: 1 watch-only, 2 spendable. The values of OWNERSHIP are such bits. */
export type OwnershipFilter = 1 | 2 | 3;

export const FILTER = { WATCH: 1, SPENDABLE: 2, ALL: 3 } as const;
