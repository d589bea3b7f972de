// Arguments, results and their members in one line each. What is said of one comes in this order: its name (a ? at the
// end: it may be left out), its help, what else there is to say, and its members. A single text is the help.
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
/** Seconds since 1970. */
export const time = maker('num-time');
/** In BTC. */
export const amount = maker('amount');
export const bool = maker('bool');
export const none = maker('none');
/** A number, or a list of the first and the last one. */
export const range = maker('range');
export const obj = maker('obj');
/** An argument whose keys the caller chooses. */
export const keyed = maker('obj-user-keys');
/** A result with a member for each of something. */
export const dyn = maker('obj-dyn');
export const arr = maker('arr');
/** A list in which each place has a meaning of its own. */
export const fixed = maker('arr-fixed');
export const elision = maker('elision');
