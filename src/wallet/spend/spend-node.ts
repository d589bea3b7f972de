// What spending needs of the node, declared by the wallet; node/spending.ts fills it from chain, mempool and clock.
// Rates in satoshis per 1,000 virtual bytes, hashes in internal order.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { Signer } from '../../crypto/schnorr-signer.js';
import type { SigningThreads } from '../../signing/sign-transaction.js';
import type { NodeRates } from '../node-client.js';
import type { Chance } from './select/pace.js';

export interface SpendNode {
  readonly crypto: Crypto;
  readonly signer: Signer;
  /** What large transactions are signed on. */
  readonly signingThreads?: SigningThreads | undefined;
  readonly chance: Chance;
  nowSeconds(): number;
  /** Rate 0: nothing is known. */
  estimate(target: number, conservative: boolean): { readonly feeRate: number; readonly reason: string };
  readonly longestTarget: number;
  rates(): NodeRates;
  /** The mempool's limits of relatives. */
  readonly maxAncestors: number;
  readonly maxDescendants: number;
  /** Unconfirmed relatives of a transaction, itself counted; zeros when it is not in the mempool. */
  relatives(txid: Uint8Array): { readonly ancestors: number; readonly descendants: number; readonly cluster: number };
  /**
   * What spenders of outputs (36-byte outpoints) pay so that the unconfirmed transactions they are of reach a rate:
   * each alone, and all together, where shared parents count once. Satoshis; null: too many depend on each other.
   */
  bumpFees(outpoints: readonly Uint8Array[], feeRate: number): { readonly each: readonly number[]; readonly together: number } | null;
  /** Whether something in the mempool spends outputs of a transaction. */
  hasDescendants(txid: Uint8Array): boolean;
  /** Whether the mempool would take it, as far as the number and size of its relatives go. */
  fitsChainLimits(tx: TxView): boolean;
  /** Hands it in for the mempool, and for the peers with `relay`. @returns why it is refused, null when it is there */
  broadcast(tx: TxView, maxFeeSats: number, relay: boolean): Promise<string | null>;
  isInitialBlockDownload(): boolean;
  /** A line for the operator. */
  log(line: string): void;
}
