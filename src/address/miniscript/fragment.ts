// Fragments of miniscript (BIP-0379) and the tree they make. Keys are numbers: places in a list that the tree's owner
// holds, as one tree serves every index of a ranged descriptor. Nodes know their type and limits from birth (types.ts,
// limits.ts).

/** Where a script stands: what it may hold and what it costs differ. */
export type MiniscriptContext = 'wsh' | 'tapscript';

/** What combines others, what stands alone, and the wrappers by their letter. */
export type Fragment =
  | '0'
  | '1'
  | 'pk_k'
  | 'pk_h'
  | 'older'
  | 'after'
  | 'sha256'
  | 'hash256'
  | 'ripemd160'
  | 'hash160'
  | 'a'
  | 's'
  | 'c'
  | 'd'
  | 'v'
  | 'j'
  | 'n'
  | 'and_v'
  | 'and_b'
  | 'or_b'
  | 'or_c'
  | 'or_d'
  | 'or_i'
  | 'andor'
  | 'thresh'
  | 'multi'
  | 'multi_a';

/** What a node is made of. */
export interface NodeFields {
  readonly fragment: Fragment;
  readonly subs: readonly MiniscriptNode[];
  /** Locktime, or how many are needed; 0 where neither is meant. */
  readonly k: number;
  /** Of hash fragments, 20 or 32 bytes. */
  readonly hash: Uint8Array | null;
  /** Places of keys. */
  readonly keys: readonly number[];
}

/** A node of the tree. */
export interface MiniscriptNode extends NodeFields {
  /** Type and properties, bits of types.ts; 0 when the parts do not fit. */
  readonly type: number;
  /** What running and satisfying it costs. */
  readonly limits: Limits;
  /** Levels below and including this one. */
  readonly height: number;
}

/** Costs of both ways through a node; NEVER where there is no such way. */
export interface Limits {
  /** Bytes of its script. */
  readonly size: number;
  /** Non-push opcodes, run or not. */
  readonly ops: number;
  /** Opcodes that CHECKMULTISIGs add (their keys), at most. */
  readonly satOps: number;
  readonly dsatOps: number;
  /** Stack elements consumed net, and the most there are beyond the end's while running. */
  readonly sat: StackUse;
  readonly dsat: StackUse;
  /** Bytes of the largest witness elements with their lengths. */
  readonly satBytes: number;
  readonly dsatBytes: number;
}

/** How a run uses the stack. */
export interface StackUse {
  /** How much higher the stack is before than after. */
  readonly taken: number;
  /** How much higher than after it gets. */
  readonly peak: number;
}
