/** Settings of a loaded wallet that are not stored. */
export class WalletSession {
  #payFeeRate: number;
  #hasKeyManager = true;

  constructor(payFeeRate: number) {
    this.#payFeeRate = payFeeRate;
  }

  /** Fee rate of -paytxfee or settxfee, satoshis per 1,000 virtual bytes; 0: none. */
  get payFeeRate(): number {
    return this.#payFeeRate;
  }
  setPayFeeRate(rate: number): void {
    this.#payFeeRate = rate;
  }
  /**
   * True if a legacy wallet has a key manager: it was created with one, has keys on disk, or got one with its first
   * import. Replies show this, as in Core.
   */
  get hasKeyManager(): boolean {
    return this.#hasKeyManager;
  }
  addKeyManager(): void {
    this.#hasKeyManager = true;
  }
  removeKeyManager(): void {
    this.#hasKeyManager = false;
  }
}
