// Figures of a front process about its fleet, for metrics and the status page.

/** A node as these fronts see it. */
export interface NodeFigures {
  readonly name: string;
  readonly alive: boolean;
  readonly stopping: boolean;
  readonly followed: boolean;
  /** Height of the node's tip; 0 before the first fact. */
  readonly height: number;
  readonly tipHex: string;
  /** True if the node is alive and its tip is not the followed one. */
  readonly differs: boolean;
  /** Milliseconds since the last fact; -1000 before the first. */
  readonly silentMs: number;
  /** Satoshis that the node's newest template pays; 0 without one. */
  readonly pays: number;
}

export interface FleetFigures {
  readonly connected: boolean;
  readonly nodes: readonly NodeFigures[];
  readonly switches: number;
  readonly templates: { readonly pieces: number; readonly store: number; readonly node: number };
  readonly templateBytes: number;
  readonly callsUnderWay: number;
  readonly calls: { readonly reply: number; readonly refused: number; readonly lost: number; readonly unknown: number };
  readonly found: { readonly stored: number; readonly failed: number };
}
