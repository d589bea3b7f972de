/** Heights at which the wallets' thread of faulty-wallets.ts fails. */
export const FAULTY_HEIGHT = { WALLET: 103, THREADS: [106, 110, 114] } as const;
