// Expected results of replayed recordings.

/** A recording as expected.json pins it. */
export interface Pinned {
  /** Calls that it makes. */
  readonly calls: number;
  /** Numbers of those that are known not to match; test/conformance/README.md says why. */
  readonly differ: readonly number[];
}

/**
 * Lists the faults of a recording's result.
 * @param pinned undefined if the recording isn't pinned yet
 */
export function judge(pinned: Pinned | undefined, result: Pinned): string[] {
  if (pinned === undefined) return ['not in expected.json: run with --update'];
  const wrong: string[] = [];
  if (result.calls !== pinned.calls) wrong.push(`${result.calls} calls, not ${pinned.calls}`);
  const fallen = result.differ.filter((n) => !pinned.differ.includes(n));
  if (fallen.length > 0) wrong.push(`no longer the same: call ${fallen.join(', ')}`);
  return wrong;
}

/** Calls that were known not to match and do now: they are to be pinned. */
export const grown = (pinned: Pinned | undefined, result: Pinned): number[] =>
  (pinned?.differ ?? []).filter((n) => !result.differ.includes(n));

/**
 * Private keys in base 58: 32 bytes and a version (WIF), a byte more for compressed ones, or an extended private key.
 * Neither extended public keys, addresses nor hashes in hex.
 */
const KEY_TEXT =
  /(?<![0-9A-Za-z])(?:[59][1-9A-HJ-NP-Za-km-z]{50}|[KLc][1-9A-HJ-NP-Za-km-z]{51}|[xt]prv[1-9A-HJ-NP-Za-km-z]{107})(?![0-9A-Za-z])/g;

/**
 * A recorded error as adit gives it: private keys that the request brought are not repeated.
 * @param asked the request's arguments as text
 * @returns null when it repeats none
 */
export function hidesKeys(reply: string, asked: string): string | null {
  const hidden = reply.replace(KEY_TEXT, (text) => (asked.includes(text) ? '(private key)' : text));
  return reply.includes('"message"') && hidden !== reply ? hidden : null;
}

/** The lines of a debug.log that say that the node itself failed. */
export function errorLines(log: string): string[] {
  return log
    .split('\n')
    .filter((line) => /^\S+Z (?:\(mocktime: \S+\) )?(?:\[main\] )?Error: /.test(line))
    .slice(0, 20);
}
