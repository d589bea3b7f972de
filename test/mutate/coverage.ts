// Which tests execute which places of a file: only they can catch a mutant there. From the imports of the compiled
// tests, and from what V8 counts while they run.
import fs from 'node:fs';
import path from 'node:path';

const imports = new Map<string, readonly string[]>();

/** Returns the files of the repository that a compiled file imports. */
export function importsOf(file: string): readonly string[] {
  let found = imports.get(file);
  if (found === undefined) {
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    found = [...text.matchAll(/(?:from|import) '(\.[^']+\.js)'/g)].map(([, name]) => path.resolve(path.dirname(file), name as string));
    imports.set(file, found);
  }
  return found;
}

/**
 * Returns the test files that import one of some files, and over how many steps.
 * @param tests compiled files
 * @param files compiled files
 */
export function testsNear(tests: readonly string[], files: ReadonlySet<string>, mostSteps: number): Map<string, number> {
  const near = new Map<string, number>();
  for (const test of tests) {
    let edge = [test];
    const seen = new Set(edge);
    for (let steps = 0; steps <= mostSteps && edge.length > 0; steps++) {
      if (edge.some((file) => files.has(file))) {
        near.set(test, steps);
        break;
      }
      edge = edge.flatMap(importsOf).filter((file) => !seen.has(file) && seen.add(file));
    }
  }
  return near;
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}
interface Recorded {
  readonly result: readonly { readonly url: string; readonly functions: readonly { readonly ranges: readonly Range[] }[] }[];
}

/** Ranges of files as one run counted them: by compiled file, one list for each thread that loaded it. */
export type Coverage = Map<string, Range[][]>;

/** Reads what V8 wrote, of these files. @param at their paths in the copy that ran */
export function readCoverage(folder: string, at: ReadonlyMap<string, string>): Coverage {
  const coverage: Coverage = new Map();
  for (const name of fs.readdirSync(folder)) {
    const { result } = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as Recorded;
    for (const { url, functions } of result) {
      const file = url.startsWith('file://') ? at.get(decodeURIComponent(url.slice(7))) : undefined;
      if (file === undefined) continue;
      const lists = coverage.get(file) ?? [];
      lists.push(functions.flatMap(({ ranges }) => [...ranges]));
      coverage.set(file, lists);
    }
  }
  return coverage;
}

/** Returns true if a place was executed. The narrowest range around it decides. */
export function covers(coverage: Coverage, file: string, offset: number): boolean {
  return (coverage.get(file) ?? []).some((ranges) => {
    let best: Range | undefined;
    for (const range of ranges) {
      if (offset < range.startOffset || offset >= range.endOffset) continue;
      if (best === undefined || range.endOffset - range.startOffset <= best.endOffset - best.startOffset) best = range;
    }
    return best !== undefined && best.count > 0;
  });
}
