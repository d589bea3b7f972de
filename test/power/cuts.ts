// Cuts of a recorded life: each makes the folder as a loss of power leaves it at some moment, starts a plain daemon
// over it, and has it judged.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Disk, MOODS, type Mood, type Names } from './disk.js';
import type { Recording } from './recording.js';

/** A cut that was made. */
export interface Cut {
  readonly names: Names;
  readonly mood: Mood;
  /** Records before the cut. */
  readonly at: number;
  /** Number of the cut in its story, from 0. */
  readonly number: number;
  /** Facts that the test knew before the cut, in order. */
  readonly said: readonly unknown[];
  /** Files by path below the data folder that are on the disk for sure. */
  readonly surely: ReadonlyMap<string, Buffer | null>;
}

/** Judges the folder that a cut leaves, which it may change. @returns what is wrong */
export type Judge = (image: string, cut: Cut) => Promise<string[]>;

export interface CutReport {
  readonly cuts: Record<string, number>;
  readonly faults: string[];
}

/** Moments for cuts: anywhere, right after an acknowledgement, and right after names changed or a sync was over. */
function moments({ changes }: Recording, count: number, random: () => number): number[] {
  const first = changes.findIndex(({ kind }) => kind === 'said') + 1;
  const all = Array.from({ length: changes.length - first }, (_, i) => first + i);
  const after = (...kinds: string[]): number[] => all.filter((i) => kinds.includes(changes[i]!.kind)).map((i) => i + 1);
  const pools = [all, after('said'), after('sync ends', 'create', 'rename', 'remove')].filter((pool) => pool.length > 0);
  return Array.from({ length: count }, () => {
    const pool = pools[Math.floor(random() * pools.length)]!;
    return pool[Math.floor(random() * pool.length)]!;
  }).sort((a, b) => a - b);
}

export interface Plan {
  readonly count: number;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** Cuts that are judged at a time. */
  readonly jobs: number;
  /** All when absent. */
  readonly moods?: readonly Mood[];
  /** For cuts that are expected to lose something: their images go too. */
  readonly forget?: boolean;
}

/** Makes cuts and judges them, some at a time. */
export async function cutAndJudge(recording: Recording, plan: Plan, judge: Judge): Promise<CutReport> {
  const report: CutReport = { cuts: {}, faults: [] };
  const { random, moods = MOODS } = plan;
  const kinds: readonly Names[] = ['strict', 'ordered'];
  const wanted = kinds.flatMap((names, i) =>
    moments(recording, Math.floor((plan.count + i) / kinds.length), random).map((at) => ({ names, at })),
  );
  let disk: Disk | undefined;
  let [kind, applied] = [kinds[0], 0];
  const said: unknown[] = [];
  let number = 0;
  /** Makes the next cut's folder, without a pause: the disk is one for all. */
  const next = (): { cut: Cut; image: string } | undefined => {
    const moment = wanted.shift();
    if (moment === undefined) return undefined;
    if (disk === undefined || moment.names !== kind) {
      disk = new Disk(recording.seen, moment.names);
      [kind, applied] = [moment.names, 0];
      said.length = 0;
    }
    for (; applied < moment.at; applied++) {
      const change = recording.changes[applied]!;
      disk.apply(change);
      if (change.kind === 'said') said.push(change.what);
    }
    const mood = moods[Math.floor(random() * moods.length)]!;
    const files = disk.cut(mood, random);
    const cut: Cut = { ...moment, number: number++, mood, said: [...said], surely: disk.surely() };
    const image = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-cut-'));
    for (const [name, bytes] of files) {
      const full = path.join(image, name);
      if (bytes === null) fs.mkdirSync(full);
      else fs.writeFileSync(full, bytes);
    }
    return { cut, image };
  };
  const lane = async (): Promise<void> => {
    for (let one = next(); one !== undefined; one = next()) {
      const { cut, image } = one;
      const tried = `${image}-tried`;
      fs.cpSync(image, tried, { recursive: true });
      const wrong = await judge(tried, cut).catch((error: Error) => [error.stack ?? error.message]);
      const what = `${cut.names}, ${cut.mood}`;
      report.cuts[what] = (report.cuts[what] ?? 0) + 1;
      fs.rmSync(tried, { recursive: true, force: true });
      if (wrong.length === 0 || plan.forget === true) fs.rmSync(image, { recursive: true });
      for (const fault of wrong.slice(0, 5)) report.faults.push(`cut at record ${cut.at} (${what}), image ${image}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: plan.jobs }, lane));
  return report;
}
