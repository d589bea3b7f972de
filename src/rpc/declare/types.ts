// Types of declarations. Declarations are data only: help pages, named arguments, argument counts, and the thread of a
// method are derived from them (help.ts, params.ts, dispatch.ts, methods/). Each method has a file
// methods/CATEGORY/NAME.ts, which uses the functions of parts.ts.
import type { Release, Span } from '../../policy/compat.js';
import type { SecretKind } from '../wire/secret-places.js';

/** Categories of `help`, spelled as in Core. Hidden methods are in "hidden". */
export type Category =
  | 'blockchain'
  | 'control'
  | 'generating'
  | 'mining'
  | 'network'
  | 'rawtransactions'
  | 'signer'
  | 'util'
  | 'wallet'
  | 'zmq'
  | 'hidden';

/** Category of a method since a release. */
export interface Moved {
  readonly since: Release;
  readonly category: Category;
}

/**
 * Where a method runs: on a front, on the node thread, or on the wallets' thread. The build writes the lists of run
 * functions from it (src/method-tables.mjs).
 */
export type Runs = 'front' | 'node' | 'wallet';

/** Types of arguments, named as in Core. */
export type ArgType = 'str' | 'hex' | 'num' | 'bool' | 'amount' | 'range' | 'obj' | 'obj-user-keys' | 'arr';

/** How a run function gets an argument. parameters.ts has the types. */
export type ReadAs =
  | 'bool'
  | 'int'
  | 'uint32'
  | 'int64'
  | 'double'
  | 'string'
  | 'hash'
  | 'hash hex'
  | 'bytes'
  | 'passphrase'
  | 'amount'
  | 'array'
  | 'object'
  | 'json';

/** An argument, or a member of one. */
export interface ArgSpec extends Span {
  /** Name, with aliases after bars: `verbosity|verbose`. */
  readonly name: string;
  readonly type: ArgType;
  /** True if the argument may be omitted, without having a default. */
  readonly optional?: boolean;
  /** Default value as text for the help page. An argument with a default is optional. */
  readonly default?: string;
  readonly help: string;
  readonly inner?: readonly ArgSpec[];
  /** How the run function gets the value. Default: by `type`; with `anyType` as it was sent. */
  readonly as?: ReadAs;
  /** True if releases before 25 check the type with the error -3 when the run function reads the argument. */
  readonly checked?: boolean;
  /** Name of a hash or of bytes in error messages. Default: the first name. */
  readonly errorName?: string;
  /** Values of a text that the method knows. */
  readonly oneOf?: readonly string[];
  /** Error for all other texts. %s stands for the text. Default: the run function checks the text. */
  readonly refusal?: { readonly code: number; readonly text: string };
  /** True if the run function sees undefined for an omitted value, although the argument has a default. */
  readonly seesAbsence?: boolean;
  /** Overrides for the help page: the short form of the value, and the words for its type. */
  readonly shortForm?: string;
  readonly typeWords?: string;
  /** Text for the argument in the first line of the help page. */
  readonly oneline?: string;
  /** True if the argument is accepted but not shown, with all arguments after it. */
  readonly hidden?: boolean;
  /**
   * True if the argument may have any type even if types are checked against the declaration (Compat.strictArguments).
   * The method checks the type itself.
   */
  readonly anyType?: boolean;
  /** First release in which the argument is required, even if it has a default. */
  readonly required?: Release;
  /** True if members of this object may be given by name like arguments, as since release 26. */
  readonly namedMembers?: boolean;
  /** Name since a release. If releases before and after it count, both names are accepted. */
  readonly renamed?: { readonly since: Release; readonly name: string };
  /** Kind of secret that the text contains. It is taken out of the request before parsing (wire/secret-search.ts). */
  readonly holds?: SecretKind;
}

export type ResultType =
  | 'str'
  | 'hex'
  | 'num'
  | 'num-time'
  | 'amount'
  | 'bool'
  | 'none'
  | 'obj'
  | 'obj-dyn'
  | 'arr'
  | 'arr-fixed'
  | 'elision';

/** A result, or a member of one. */
export interface ResultSpec extends Span {
  readonly type: ResultType;
  /** Name of the member in an object; empty elsewhere. */
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
  /** Condition for this form of the result, for the title `Result (…)`. */
  readonly when?: string;
  readonly inner?: readonly ResultSpec[];
  /** Members that an ellipsis replaces: help pages omit them, the OpenRPC document does not. */
  readonly of?: readonly ResultSpec[];
  /** True if the result may also be `false` instead of an object. */
  readonly orFalse?: boolean;
}

/** An example call. `cli`: arguments on a command line. `rpc`: content of the params array. */
export interface Example {
  readonly cli?: string;
  readonly rpc?: string;
  /** Line of text above the example. */
  readonly title?: string;
  /** Method that the example calls, if it is not the declared method. */
  readonly method?: string;
}

/** A method. Like its arguments and members, it may exist only in some releases (-compat). */
export interface MethodSpec extends Span {
  readonly name: string;
  readonly category: Category;
  readonly moved?: Moved;
  readonly runs: Runs;
  /**
   * How a call holds the lock of its wallet (wallet/lock.ts). 'wallet' and 'keys': until the call ends, because the
   * wallet or its private keys must not change. 'parts': the run function takes the lock itself, because it needs the
   * wallet exclusively or may wait for a long time. Undefined: the method does not concern one wallet.
   */
  readonly holds?: 'wallet' | 'keys' | 'parts';
  /**
   * Releases before 25 check the types of all arguments of this method first, and may accept null for an omitted one.
   * Without `checks` they check a type where the argument is read. Since 25 all types are always checked first.
   */
  readonly checks?: 'types' | 'types or null';
  /** Text without a line feed at its start or end. */
  readonly description: string;
  readonly args: readonly ArgSpec[];
  readonly results: readonly ResultSpec[];
  readonly examples: readonly Example[];
  /** True if the method may wait or take a long time: fronts and the link set no deadline. */
  readonly waits?: boolean;
  /**
   * True if the method may run twice, or on another node, because it changes nothing. If a node ends, a front of a
   * fleet calls another one. Methods of fronts are always repeatable.
   */
  readonly repeatable?: boolean;
  /**
   * True if a front may cache replies (rpc/front/known-replies.ts): the result depends only on chain, mempool, peers,
   * and the second of the clock; for a method of fronts only on the tip. 'blocks': the result changes only when the
   * active chain or the stored blocks change. A cached reply does not reach the run function.
   */
  readonly cacheable?: boolean | 'blocks';
  /** True if a fleet sends the call to all nodes at once: a submission, which may be repeated. */
  readonly everywhere?: boolean;
  /** True if the help page is only the name with the description in the next line. */
  readonly bare?: boolean;
}
