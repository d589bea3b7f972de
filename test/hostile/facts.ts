// Facts of the attacked chain for the attackers, sent from the runner to their process as plain data.

/** A block as far as somebody has to know it who builds on it. */
export interface TipFacts {
  /** Display order. */
  readonly hash: string;
  readonly height: number;
  readonly time: number;
  /** 80 bytes, hex. */
  readonly header: string;
}

/** An output that anyone may spend: pays to TRUE_SCRIPT. */
export interface CoinFacts {
  /** Internal order, hex. */
  readonly txid: string;
  readonly index: number;
  readonly value: number;
}

export interface Facts {
  readonly port: number;
  readonly tip: TipFacts;
  /** Blocks of about a megabyte, display order. */
  readonly large: readonly string[];
  /** Blocks near the tip, newest last. */
  readonly recent: readonly string[];
  readonly coins: readonly CoinFacts[];
  /** Time of the first block of the chain, and how many there are: a rival chain of less work fits in. */
  readonly firstTime: number;
}

/** Orders of the runner to the attackers' process. */
export type Order =
  | { readonly kind: 'facts'; readonly facts: Facts }
  | { readonly kind: 'start'; readonly attacks: readonly { readonly name: string; readonly lanes: number }[] }
  /** A block that nobody has seen yet: its header is theirs to abuse. */
  | { readonly kind: 'coming'; readonly header: string }
  /** Asks for what was done so far. */
  | { readonly kind: 'count' }
  | { readonly kind: 'stop' };
