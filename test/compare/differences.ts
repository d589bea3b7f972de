// Differences between the two nodes, grouped by what they have in common when numbers and hashes are left out.

export interface Difference {
  step: number;
  what: string;
  /** The call, shortened. */
  call: string;
  core: string;
  adit: string;
}

const SHOWN_CHARACTERS = 700;
const SHOWN_OF_GROUP = 5;

const shape = (text: string): string =>
  text
    .replace(/[0-9a-f]{16,}/g, '#')
    .replace(/-?\d+(\.\d+)?(e-\d+)?/g, 'N')
    .replace(/(N, ?)+N/g, 'N');

/** Returns a reply with its members sorted, because another test checks their order. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)]),
  );
}

/** Returns the members that differ, by their paths. */
export function contrast(core: unknown, adit: unknown, path = ''): string[] {
  if (JSON.stringify(core) === JSON.stringify(adit)) return [];
  const both = [core, adit];
  if (both.some((side) => side === null || typeof side !== 'object')) {
    return [`${path}: ${JSON.stringify(core)} <> ${JSON.stringify(adit)}`];
  }
  const [a, b] = both as Record<string, unknown>[];
  return [...new Set([...Object.keys(a!), ...Object.keys(b!)])].flatMap((name) => contrast(a![name], b![name], `${path}/${name}`));
}

export class Differences {
  readonly #groups = new Map<string, Difference[]>();
  readonly #refusals = new Map<string, number>();

  add(difference: Difference, members: readonly string[]): void {
    const key = `${difference.what}: ${members.map(shape).join('; ')}`;
    const group = this.#groups.get(key) ?? [];
    group.push(difference);
    this.#groups.set(key, group);
  }

  /** Counts the reasons in replies that refuse something. A run that never causes a reason has not tested it. */
  saw(reply: unknown): void {
    for (const [, text] of JSON.stringify(reply).matchAll(
      /"(?:error|package_msg|package-error|reject-details|reject-reason)":"([^"]*)"/g,
    )) {
      const key = shape(text!);
      this.#refusals.set(key, (this.#refusals.get(key) ?? 0) + 1);
    }
  }

  /** Returns the reasons, the most frequent first. */
  refusals(): string[] {
    return [...this.#refusals].sort(([, a], [, b]) => b - a).map(([text, count]) => `${count} x ${text}`);
  }

  get count(): number {
    return [...this.#groups.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Prints each difference with its seed and step. In every group, and among the groups, the smallest comes first. */
  *lines(seed: number): Generator<string> {
    const size = ({ call, core, adit }: Difference): number => call.length + core.length + adit.length;
    for (const group of this.#groups.values()) group.sort((a, b) => size(a) - size(b));
    const groups = [...this.#groups].sort(([, a], [, b]) => size(a[0]!) - size(b[0]!));
    for (const [key, group] of groups) {
      yield `${group.length} x ${key}`.slice(0, SHOWN_CHARACTERS);
      for (const { step, call, core, adit } of group.slice(0, SHOWN_OF_GROUP)) {
        yield `  seed ${seed} step ${step}: ${call.slice(0, SHOWN_CHARACTERS)}`;
        yield `    bitcoind ${core.slice(0, SHOWN_CHARACTERS)}`;
        yield `    adit     ${adit.slice(0, SHOWN_CHARACTERS)}`;
      }
    }
  }
}
