// What a process of fronts knows of its fleet, for metrics and the page.

/** A node as these fronts see it. */
export interface NodeFigures {
  readonly name: string;
  readonly alive: boolean;
  readonly stopping: boolean;
  readonly followed: boolean;
  /** 0 before it was heard. */
  readonly height: number;
  readonly tipHex: string;
  /** It is alive and has another tip than the one that is followed. */
  readonly differs: boolean;
  /** Milliseconds since it was heard; -1000 before. */
  readonly silentMs: number;
  /** Satoshis that its newest template pays; 0 without one. */
  readonly pays: number;
}

/** All of it. */
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
