// Functions that declare an argument, a result, or a member in one line. Their arguments are, in this order: the name
// (with ? at the end if it is optional), the help, other properties, and the members. A single string is the help.
import type { ArgSpec, ArgType, ResultSpec, ResultType } from './types.js';

type More = Omit<Partial<ArgSpec & ResultSpec>, 'type' | 'name' | 'help' | 'inner'>;
type Words = readonly [] | readonly [help: string] | readonly [name: string, help: string];
type PartArguments = readonly [
  ...Words,
  ...(readonly [] | readonly [More]),
  ...(readonly [] | readonly [members: readonly (ArgSpec | ResultSpec)[]]),
];

type Name<S extends PartArguments> = S extends readonly [infer N extends string, string, ...unknown[]] ? N : '';
type Bare<N extends string> = N extends `${infer B}?` ? B : N;
type Optional<N extends string> = N extends `${string}?` ? { readonly optional: true } : unknown;
type Properties<S extends PartArguments> = Exclude<S[number], readonly unknown[] | string>;
type Members<S extends PartArguments> = Extract<S[number], readonly unknown[]>;

/** The declared part with its literal types, from which the types of parameters follow. The help stays a string. */
type Part<T, S extends PartArguments> = { readonly type: T; readonly name: Bare<Name<S>>; readonly help: string } & Optional<Name<S>> &
  ([Properties<S>] extends [never] ? unknown : Properties<S>) &
  ([Members<S>] extends [never] ? unknown : { readonly inner: Members<S> });

const maker =
  <T extends ArgType | ResultType, A = unknown>(type: T, as?: A) =>
  <const S extends PartArguments>(...said: S): A & Part<T, S> => {
    const list: readonly (string | More | readonly unknown[])[] = said;
    const words = list.filter((one) => typeof one === 'string');
    const inner = list.find((one) => Array.isArray(one));
    const more = list.find((one): one is More => typeof one === 'object' && !Array.isArray(one));
    const [name = '', help = ''] = words.length === 2 ? words : ['', ...words];
    const optional = name.endsWith('?');
    const part = {
      ...as,
      type,
      name: optional ? name.slice(0, -1) : name,
      help,
      ...(optional && { optional }),
      ...more,
      ...(inner && { inner }),
    };
    return part as unknown as A & Part<T, S>;
  };

export const str = maker('str');
export const hex = maker('hex');
/** A hash of 64 hex digits. */
export const hash = maker('hex', { as: 'hash' } as const);
/** Bytes as hex. */
export const bytes = maker('hex', { as: 'bytes' } as const);
/** A passphrase, which the run function gets as bytes. */
export const passphrase = maker('str', { as: 'passphrase', holds: 'passphrase' } as const);
export const num = maker('num');
/** Time in seconds since 1970. */
export const time = maker('num-time');
/** Amount in BTC. */
export const amount = maker('amount');
export const bool = maker('bool');
export const none = maker('none');
/** A number, or a list of the first and the last number. */
export const range = maker('range');
export const obj = maker('obj');
/** An object argument whose keys the caller chooses. */
export const keyed = maker('obj-user-keys');
/** A result object with a variable number of members of one kind. */
export const dyn = maker('obj-dyn');
export const arr = maker('arr');
/** A list in which each position has its own meaning. */
export const fixed = maker('arr-fixed');
export const elision = maker('elision');
