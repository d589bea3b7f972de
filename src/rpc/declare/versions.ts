// Adapts declarations and results to a release: methods, arguments, and members that the release does not have are
// removed. Run functions write members in the order of 0.21.1. For later releases the members are put into the order of
// the declaration, where a member that moved is declared at both places (the first until a release, the second since
// it). Default mode (-compat=default) shows the members of all releases, so results stay as they are.
import { type Compat, follows, only, type Span, shows } from '../../policy/compat.js';
import type { JsonResult } from '../wire/values.js';
import type { ArgSpec, Category, MethodSpec, ResultSpec } from './types.js';

/** Converts a result, or a member of one, to the members of a release. */
export type Shaper = (value: JsonResult) => JsonResult;

/** Returns whether a value is a plain object; special values of results are instances of classes. */
const isPlain = (value: JsonResult): value is Record<string, JsonResult> =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;

/** Returns the shaper of a value; null if it does not change. */
function shaperOf(spec: ResultSpec, compat: Compat): Shaper | null {
  switch (spec.type) {
    case 'obj':
      return objectShaper(spec.inner ?? [], compat);
    case 'obj-dyn':
    case 'arr': {
      const item = anyOf(spec.inner ?? [], compat);
      if (item === null) return null;
      return (value) => {
        if (Array.isArray(value)) return value.map(item);
        if (!isPlain(value)) return value;
        return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, item(member as JsonResult)]));
      };
    }
    default:
      return null;
  }
}

/**
 * Returns the shaper of a value with several forms: the shaper of the first form that has one, which is applied to values
 * of every form. Null if no form changes.
 */
function anyOf(forms: readonly ResultSpec[], compat: Compat): Shaper | null {
  for (const form of forms) {
    const shaper = shaperOf(form, compat);
    if (shaper !== null) return shaper;
  }
  return null;
}

const shapers = new WeakMap<readonly ResultSpec[], Map<Compat['name'], Shaper | null>>();

/** Returns the shaper of an object with these members; null if it does not change. Computed once. */
export function objectShaper(members: readonly ResultSpec[], compat: Compat): Shaper | null {
  let known = shapers.get(members);
  if (known === undefined) shapers.set(members, (known = new Map()));
  let shaper = known.get(compat.name);
  if (shaper === undefined) known.set(compat.name, (shaper = makeObjectShaper(members, compat)));
  return shaper;
}

function makeObjectShaper(members: readonly ResultSpec[], compat: Compat): Shaper | null {
  // Default mode shows the members of all releases: results stay complete, in the order that clients of 0.21 know.
  if (compat.name === 'default') return null;
  const keyed = members.filter(({ name }) => name !== '');
  const shown = keyed.filter((member) => shows(compat, member)).map((member) => ({ key: member.name, shape: shaperOf(member, compat) }));
  const versioned = keyed.some(({ since, until }) => since !== undefined || until !== undefined);
  if (!versioned && shown.every(({ shape }) => shape === null)) return null;
  const declared = new Set(keyed.map(({ name }) => name));
  if (!follows(compat, 22)) return inOwnOrder(new Map(shown.map(({ key, shape }) => [key, shape])), declared);
  return (value) => {
    if (!isPlain(value)) return value;
    const out: Record<string, JsonResult> = {};
    for (const { key, shape } of shown) {
      const member = value[key];
      if (member !== undefined) out[key] = shape === null ? member : shape(member);
    }
    for (const [key, member] of Object.entries(value)) if (!declared.has(key)) out[key] = member;
    return out;
  };
}

/** Returns a shaper that removes members and keeps the order of the others. */
function inOwnOrder(shown: ReadonlyMap<string, Shaper | null>, declared: ReadonlySet<string>): Shaper {
  return (value) => {
    if (!isPlain(value)) return value;
    const out: Record<string, JsonResult> = {};
    for (const [key, member] of Object.entries(value)) {
      const shape = shown.get(key);
      if (shape !== undefined || !declared.has(key)) out[key] = shape && member !== undefined ? shape(member) : member;
    }
    return out;
  };
}

/** Returns the part of a list that a release has. */
const having = <T extends Span>(list: readonly T[], compat: Compat): readonly T[] => list.filter((one) => shows(compat, one));

function nameOf({ name, renamed }: ArgSpec, compat: Compat): string {
  if (renamed === undefined || !follows(compat, renamed.since)) return name;
  if (compat.replies.oldest >= renamed.since) return renamed.name;
  return [...new Set([...renamed.name.split('|'), ...name.split('|')])].join('|');
}

function argsOf(args: readonly ArgSpec[], compat: Compat): readonly ArgSpec[] {
  return having(args, compat).map(({ default: preset, ...arg }) => ({
    ...arg,
    ...(preset === undefined || (arg.required !== undefined && only(compat, arg.required)) ? {} : { default: preset }),
    name: nameOf(arg, compat),
    ...(arg.inner ? { inner: argsOf(arg.inner, compat) } : {}),
  }));
}

function resultsOf(results: readonly ResultSpec[], compat: Compat): readonly ResultSpec[] {
  return having(results, compat).map(({ inner, of, ...result }) => ({
    ...result,
    ...(inner && { inner: resultsOf(inner, compat) }),
    ...(of && { of: resultsOf(of, compat) }),
  }));
}

/** A method, adapted to a release. */
export interface VersionedMethod extends MethodSpec {
  readonly compat: Compat;
  /** The declaration with the arguments of all releases. */
  readonly declared: MethodSpec;
  /** Converts results to the members of the release; null if they do not change. */
  readonly shape: Shaper | null;
}

/** Returns the group of a method in `help`. If one release lists the method and another hides it, default mode lists it. */
function categoryOf({ category, moved }: MethodSpec, compat: Compat): Category {
  if (moved === undefined || !follows(compat, moved.since)) return category;
  return only(compat, moved.since) || moved.category !== 'hidden' ? moved.category : category;
}

/** Adapts a declaration to a release. */
export function versioned(spec: MethodSpec, compat: Compat): VersionedMethod {
  return {
    ...spec,
    category: categoryOf(spec, compat),
    compat,
    declared: spec,
    args: argsOf(spec.args, compat),
    results: resultsOf(spec.results, compat),
    shape: anyOf(spec.results, compat),
  };
}
