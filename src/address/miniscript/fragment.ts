// Fragments of miniscript (BIP-0379) and the tree of nodes. The tree refers to keys by their number in a list that the
// owner of the tree has. So one tree serves every index of a ranged descriptor. Nodes get their type and limits when
// they are made (types.ts, limits.ts).

/** Position of a script, which determines what is allowed and what it costs. */
export type MiniscriptContext = 'wsh' | 'tapscript';

/** Fragments, including the wrappers by their letter. */
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

/** Fragment with its arguments: subexpressions, keys and numbers. */
export interface NodeFields {
  readonly fragment: Fragment;
  readonly subs: readonly MiniscriptNode[];
  /** Lock time or threshold; 0 if the fragment has neither. */
  readonly k: number;
  /** Hash of hash fragments, 20 or 32 bytes. */
  readonly hash: Uint8Array | null;
  /** Indexes of keys. */
  readonly keys: readonly number[];
}

/** Node of a miniscript's tree: fragment and arguments, with derived type and limits. */
export interface MiniscriptNode extends NodeFields {
  /** Type and properties as bits of types.ts; 0 if the parts do not fit together. */
  readonly type: number;
  /** Costs of executing and satisfying the node. */
  readonly limits: Limits;
  /** Height of the subtree, including this node. */
  readonly height: number;
}

/** Costs of satisfying and dissatisfying a node; NEVER if satisfying or dissatisfying is impossible. */
export interface Limits {
  /** Size of the node's script, bytes. */
  readonly size: number;
  /** Number of non-push opcodes, executed or not. */
  readonly ops: number;
  /** Largest number of opcodes that CHECKMULTISIG adds (its keys). */
  readonly satOps: number;
  readonly dsatOps: number;
  /** Stack use of satisfying (sat) and of dissatisfying (dsat) the node. */
  readonly sat: StackUse;
  readonly dsat: StackUse;
  /** Size of the largest witness elements with their lengths, bytes. */
  readonly satBytes: number;
  readonly dsatBytes: number;
}

/** Stack use of an execution. */
export interface StackUse {
  /** Elements consumed: height before minus height after. */
  readonly taken: number;
  /** Greatest height of the stack during the execution, minus the height afterwards. */
  readonly peak: number;
}
