// What a method says about itself. Data only: help pages, named arguments, argument counts and placement on threads
// are derived from it (help.ts, params.ts, dispatch.ts, methods/). One file per method: methods/CATEGORY/NAME.spec.ts,
// its arguments and results made by parts.ts.
import type { Release, Span } from '../../policy/compat.js';
import type { SecretKind } from '../wire/secret-places.js';

/** Groups of `help`, spelled as Core does (hidden methods are in "hidden"). */
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

/** Group of a method in `help` from a release on. */
export interface Moved {
  readonly since: Release;
  readonly category: Category;
}

/**
 * Where a method runs: on a front alone, on the node thread, or on the node thread as a call of wallets. The tables of
 * run functions are made from it (src/method-tables.mjs).
 */
export type Runs = 'front' | 'node' | 'wallet';

/** Types of arguments, in the words of Core's help. */
export type ArgType = 'str' | 'hex' | 'num' | 'bool' | 'amount' | 'range' | 'obj' | 'obj-user-keys' | 'arr';

/** One argument, or a member of one. */
export interface ArgSpec extends Span {
  /** Name, with aliases after bars: `verbosity|verbose`. */
  readonly name: string;
  readonly type: ArgType;
  /** Neither required nor with a default: may be left out. */
  readonly optional?: boolean;
  /** What is used when it is left out, as text for the help page; implies optional. */
  readonly default?: string;
  readonly help: string;
  readonly inner?: readonly ArgSpec[];
  /** Overrides of the help page: how the value looks, and the words for its type. */
  readonly shortForm?: string;
  readonly typeWords?: string;
  /** How the argument looks in the first line of the help page. */
  readonly oneline?: string;
  /** Accepted but not shown, with everything after it. */
  readonly hidden?: boolean;
  /**
   * Where arguments are held against their declarations (Compat.strictArguments) this one may be of any type; the
   * method says what it takes.
   */
  readonly anyType?: boolean;
  /** The first release in which it may not be left out, whatever its default was. */
  readonly required?: Release;
  /** The members of an object may be given by name beside the arguments, as since release 26. */
  readonly namedMembers?: boolean;
  /** What it is called since a release; both names are taken where releases before and after count. */
  readonly renamed?: { readonly since: Release; readonly name: string };
  /** Secrets that its text is or has in it: taken out of the request before that is parsed (wire/secret-search.ts). */
  readonly holds?: SecretKind;
}

/** Types of results. */
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

/** A result or a member of one. */
export interface ResultSpec extends Span {
  readonly type: ResultType;
  /** Member name inside an object, or nothing. */
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
  /** When this form of the result is given, for the title `Result (…)`. */
  readonly when?: string;
  readonly inner?: readonly ResultSpec[];
  /** What an ellipsis stands for: help pages leave it out, the OpenRPC document does not. */
  readonly of?: readonly ResultSpec[];
  /** `false` stands here when there is no such object. */
  readonly orFalse?: boolean;
}

/** An example call; `cli` is what follows the method on a command line, `rpc` the inside of the params array. */
export interface Example {
  readonly cli?: string;
  readonly rpc?: string;
  /** A line of text above it. */
  readonly title?: string;
  /** The method called, when it is another one: the counterpart of this. */
  readonly method?: string;
}

/** A method. Like its arguments and the members of its results it may be of some releases only (-compat). */
export interface MethodSpec extends Span {
  readonly name: string;
  readonly category: Category;
  readonly moved?: Moved;
  readonly runs: Runs;
  /**
   * How a call of one wallet holds its lock (wallet/lock.ts): to the call's end, as the wallet or its private keys must
   * not change hands meanwhile; or in 'parts' that the run function takes by itself, where it needs the wallet for
   * itself or may wait long. Absent when the call is about wallets as such, or about none.
   */
  readonly holds?: 'wallet' | 'keys' | 'parts';
  /**
   * Releases before 25 hold all arguments against their types before anything else, and may take null for one left out.
   * Without it they meet a wrong type where the argument is read. Since 25 types are always held first.
   */
  readonly checks?: 'types' | 'types or null';
  /** Text without leading or trailing newline. */
  readonly description: string;
  readonly args: readonly ArgSpec[];
  readonly results: readonly ResultSpec[];
  readonly examples: readonly Example[];
  /** May take long or wait: fronts and the link give it no deadline. */
  readonly waits?: boolean;
  /**
   * May be run twice, or on another node: it changes nothing. A front of a fleet asks another node when one has gone;
   * methods of fronts are so.
   */
  readonly repeatable?: boolean;
  /**
   * The result follows from chain, mempool, peers and the clock's second, and from nothing else; that of a front's own
   * method from the tip alone. A front may give it again until one of these has changed (rpc/front/known-replies).
   */
  readonly cacheable?: boolean;
  /** In a fleet it goes to all nodes at once: a submission, of which a second one does no harm. */
  readonly everywhere?: boolean;
  /** The help page is no more than the name and, right below it, the description. */
  readonly bare?: boolean;
}
