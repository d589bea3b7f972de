/** Heights at which the wallets' thread of faulty-wallets.ts fails. */
export const FAULTY_HEIGHT = { WALLET: 103, THREAD: 106 } as const;
