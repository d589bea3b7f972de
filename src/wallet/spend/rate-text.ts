// Formats fee rates for people.

/** Returns a text like `1.000 sat/vB`. @param feeRate satoshis per 1,000 virtual bytes */
export const rateInSatsPerByte = (feeRate: number): string =>
  `${Math.floor(feeRate / 1000)}.${String(feeRate % 1000).padStart(3, '0')} sat/vB`;
