/** Heights at which faulty-wallets.ts throws exceptions. */
export const FAULTY_HEIGHT = { WALLET: 103, THREADS: [106, 110, 114] } as const;
