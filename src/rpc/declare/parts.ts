// Functions that declare an argument, a result, or a member in one line. Their arguments are, in this order: the name
// (with ? at the end if it is optional), the help, other properties, and the members. A single string is the help.
import type { ArgSpec, ArgType, ResultSpec, ResultType } from './types.js';

type More = Omit<Partial<ArgSpec & ResultSpec>, 'type' | 'name' | 'help' | 'inner'>;
type Words = [] | [help: string] | [name: string, help: string];
type PartArguments<I> = [...Words, ...([] | [More]), ...([] | [members: readonly I[]])];
type Part<T, I> = More & { readonly type: T; readonly name: string; readonly help: string; readonly inner?: readonly I[] };

const maker =
  <T extends ArgType | ResultType>(type: T) =>
  <I = never>(...said: PartArguments<I>): Part<T, I> => {
    const list: readonly (string | More | readonly I[])[] = said;
    const words = list.filter((one) => typeof one === 'string');
    const inner = list.find((one): one is readonly I[] => Array.isArray(one));
    const more = list.find((one): one is More => typeof one === 'object' && !Array.isArray(one));
    const [name = '', help = ''] = words.length === 2 ? words : ['', ...words];
    const optional = name.endsWith('?');
    return { type, name: optional ? name.slice(0, -1) : name, help, ...(optional && { optional }), ...more, ...(inner && { inner }) };
  };

export const str = maker('str');
export const hex = maker('hex');
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
