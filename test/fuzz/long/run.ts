// The long fuzz suite: millions of cases over every parser, and over every RPC call and raw HTTP against a live node in
// this process.
//   node src/launch.mjs fuzz [--cases=N] [--minutes=N] [--seed=N] [--round=N] [--only=NAME,NAME] [--no-node]
// A round is 10,000 cases or so, shared out among the targets; --round goes on where a run stopped, with the same seed.
// Prints time and rate; what it finds is cut short, written to test/fuzz/finds and is a test from then on. Exit status
// 1 when there was a find.

import { Dice, mixSeed } from './dice.js';
import { saveFind, shrink } from './finds.js';
import { LiveNode } from './live-node.js';
import { httpTarget, peerTarget, rpcTarget } from './live-targets.js';
import { Find, type SlowTarget, type Target } from './target.js';
import { parserTargets } from './targets.js';

const ROUND = 10_000;
/** A case may take at most this many milliseconds. Otherwise it is a find. */
const SLOW_MS = 1000;
const MOST_FINDS_EACH = 5;

const option = (name: string): string | undefined => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const number = (name: string, otherwise: number): number => Number(option(name) ?? otherwise);

const cases = number('cases', 10_000_000);
const until = performance.now() + number('minutes', Number.POSITIVE_INFINITY) * 60_000;
const seed = number('seed', 20261121);
const only = option('only')?.split(',');

interface Tally {
  readonly target: Target | SlowTarget;
  cases: number;
  good: number;
  ms: number;
  finds: number;
  slowestMs: number;
}

const live = process.argv.includes('--no-node') ? undefined : await LiveNode.start();
const all: (Target | SlowTarget)[] = [...parserTargets, ...(live ? [rpcTarget(live), peerTarget(live), httpTarget(live)] : [])];
const tallies = all
  .filter(({ name }) => !only || only.includes(name))
  .map((target): Tally => ({ target, cases: 0, good: 0, ms: 0, finds: 0, slowestMs: 0 }));
if (tallies.length === 0) throw new Error(`no such target; there are: ${all.map(({ name }) => name).join(', ')}`);
const shares = tallies.reduce((sum, { target }) => sum + target.share, 0);

// Millions of refused inputs throw errors, and stack traces would take half the time. A find gets its own trace.
Error.stackTraceLimit = 0;

/** Repeats the check with stack traces, and returns the error with its place. */
function withStack(target: Target | SlowTarget, input: Uint8Array | undefined, error: unknown): string {
  if (input !== undefined && 'check' in target) {
    Error.stackTraceLimit = 12;
    try {
      target.check(input);
    } catch (again) {
      if (again instanceof Error) return again.stack ?? again.message;
    } finally {
      Error.stackTraceLimit = 0;
    }
  }
  return String(error);
}

function found(tally: Tally, input: Uint8Array | undefined, error: unknown): void {
  tally.finds++;
  const { target } = tally;
  console.log(`FIND ${target.name}: ${withStack(target, input, error)}`);
  if (input === undefined || tally.finds > MOST_FINDS_EACH) return;
  const small = 'check' in target ? shrink(target, input) : input;
  console.log(`  ${saveFind(target.name, small)}: ${Buffer.from(small).toString('latin1').slice(0, 300)}`);
}

/** Returns the processor time of one more check of an input. Wall time would depend on the load of the machine. */
function cpuMsOf(target: Target, input: Uint8Array): number {
  const before = process.cpuUsage();
  try {
    target.check(input);
  } catch {
    // This find was already reported.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The cases of one target in one round. */
async function run(tally: Tally, round: number, place: number): Promise<void> {
  const { target } = tally;
  const exact = (target.share / shares) * ROUND;
  // Targets with less than one case per round are run in some rounds only.
  const count = Math.floor(exact) + (new Dice(mixSeed(seed, round, place, -1)).below(1000) < (exact % 1) * 1000 ? 1 : 0);
  const made = (i: number): Uint8Array => target.make(new Dice(mixSeed(seed, round, place, i)));
  const began = process.cpuUsage();
  if ('check' in target) {
    let last = performance.now();
    for (let i = 0; i < count; i++) {
      const input = made(i);
      try {
        if (target.check(input)) tally.good++;
      } catch (error) {
        found(tally, input, error);
      }
      if ((i & 15) === 15 || input.length > 2000) {
        const now = performance.now();
        tally.slowestMs = Math.max(tally.slowestMs, now - last);
        if (now - last > SLOW_MS && cpuMsOf(target, input) > SLOW_MS) found(tally, input, new Find(`slow: ${Math.round(now - last)} ms`));
        last = now;
      }
    }
  } else if (count > 0) {
    const inputs = Array.from({ length: count }, (_, i) => made(i));
    try {
      tally.good += await target.checkAll(inputs);
    } catch (error) {
      found(tally, error instanceof Find ? error.input : undefined, error);
    }
  }
  tally.cases += count;
  const used = process.cpuUsage(began);
  tally.ms += (used.user + used.system) / 1000;
}

const began = performance.now();
let done = 0;
let round = number('round', 0);
let received = began;
for (; done < cases && performance.now() < until; round++) {
  for (const [place, tally] of tallies.entries()) await run(tally, round, place);
  done = tallies.reduce((sum, { cases: own }) => sum + own, 0);
  if (performance.now() - received > 30_000) {
    received = performance.now();
    const seconds = (received - began) / 1000;
    const rss = Math.round(process.memoryUsage.rss() / 1e6);
    console.log(
      `${done} cases, ${Math.round(seconds)} s, ${Math.round(done / seconds)} cases/s, rss ${rss} MB; go on with --seed=${seed} --round=${round + 1}`,
    );
  }
}
const seconds = (performance.now() - began) / 1000;
console.log('target                 cases  past the door  us of CPU   finds');
for (const { target, cases: own, good, ms, finds } of tallies) {
  const share = own === 0 ? '' : `${((100 * good) / own).toFixed(1)} %`;
  console.log(
    `${target.name.padEnd(18)} ${String(own).padStart(9)} ${share.padStart(14)} ${String(Math.round((1000 * ms) / own)).padStart(10)} ${String(finds).padStart(7)}`,
  );
}
const finds = tallies.reduce((sum, tally) => sum + tally.finds, 0);
console.log(
  `${done} cases in ${seconds.toFixed(0)} s, ${Math.round(done / seconds)} cases/s, ${finds} finds; seed ${seed}, rounds up to ${round}`,
);
await live?.close();
process.exit(finds > 0 ? 1 : 0);
