// Ownership of a script by a wallet (Core's isminetype).

/**
 * NO: of another owner. WATCH: watched, but this wallet cannot spend it. SPENDABLE: the wallet has everything that a
 * signature needs.
 */
export const OWNERSHIP = { NO: 0, WATCH: 1, SPENDABLE: 2 } as const;
export type Ownership = (typeof OWNERSHIP)[keyof typeof OWNERSHIP];

/**
 * Classes of ownership that a caller counts, as bits: 1 watch-only, 2 spendable. The values of OWNERSHIP are the same
 * bits.
 */
export type OwnershipFilter = 1 | 2 | 3;

export const FILTER = { WATCH: 1, SPENDABLE: 2, ALL: 3 } as const;
