// Checks the promises of a fleet after any disturbance, from the replies to clients, the state of nodes, and the times
// of both.
import type { Clients, OnceCall, WorkRequest } from './clients.js';
import type { Disturbances, TipWatch } from './sights.js';

export interface JudgeOptions {
  /** A front with a whole way to a node knows the node's tip after so long, and has answered its long polls. */
  readonly boundMs: number;
  /** Processes are given so long after something befell them. */
  readonly settleMs: number;
}

/** The block that all chains begin with. */
const GENESIS_HEIGHT = 0;

/**
 * No template whose parent is behind the tip of a node that the front could see, none on a block that no node had, and
 * none with less work than one before it of the same process of fronts; long polls are answered.
 */
export function judgeWork(
  work: readonly WorkRequest[],
  nodes: readonly string[],
  tips: TipWatch,
  disturbances: Disturbances,
  { boundMs, settleMs }: JudgeOptions,
): { readonly faults: string[]; readonly checked: number } {
  const faults: string[] = [];
  let checked = 0;
  const end = performance.now();
  const highest = new Map<number, { readonly height: number; readonly ended: number }[]>();
  for (const request of work) {
    const { front, pid, began, had, parent } = request;
    const ended = request.ended ?? end;
    if (parent !== '') {
      const height = tips.heightOf(parent);
      if (height === undefined && request.height !== GENESIS_HEIGHT) faults.push(`${front} gave work on ${parent}, which no node had`);
      for (const node of nodes) {
        const seen = tips.at(node, began - boundMs);
        if (!seen || seen.height <= request.height) continue;
        if (!disturbances.calm([front, node], began - boundMs, ended, settleMs)) continue;
        faults.push(`${front} gave work on height ${request.height}, ${node} had ${seen.height} ${Math.round(began - seen.at)} ms before`);
      }
      // Requests may overtake each other: only what was answered before this one was asked counts.
      const before = highest.get(pid) ?? [];
      const higher = before.find((one) => one.height > request.height && one.ended < began);
      if (higher) faults.push(`${front} gave work on height ${request.height} after height ${higher.height}`);
      if ((before.at(-1)?.height ?? -1) < request.height) before.push({ height: request.height, ended });
      highest.set(pid, before);
      checked++;
    }
    const height = had === '' ? undefined : tips.heightOf(had);
    if (height === undefined) continue;
    for (const node of nodes) {
      const above = tips.above(node, height);
      if (above === undefined) continue;
      const due = Math.max(began, above) + boundMs;
      if (ended <= due || !disturbances.calm([front, node], due - boundMs, due, settleMs)) continue;
      const late = Math.round(ended - due + boundMs);
      faults.push(
        `a long poll at ${front} on height ${height} took ${late} ms${request.ended === null ? ' and goes on' : ''}; ${node} had more`,
      );
      break;
    }
  }
  return { faults, checked };
}

/** No call both failed and done, none done twice. @param seen what nodes have by mark: how often it was carried out */
export function judgeCalls(calls: readonly OnceCall[], seen: ReadonlyMap<string, number>): string[] {
  const faults: string[] = [];
  for (const { mark, outcome, words } of calls) {
    const times = seen.get(mark) ?? 0;
    if (times > 1) faults.push(`call ${mark} was carried out ${times} times: ${words}`);
    if (times > 0 && outcome === 'failed') faults.push(`call ${mark} was carried out and answered as failed: ${words}`);
  }
  return faults;
}

/** A node as far as the judge asks it. */
export interface AskedNode {
  readonly name: string;
  /** Returns the confirmations of a block: -1 outside the best chain; null if the node does not know it. */
  confirmations(hash: string): Promise<number | null>;
}

/**
 * Every block that was answered is in the best chain, or the log says which block beat it.
 * @param logs of all processes
 */
export async function judgeBlocks(found: Clients['found'], nodes: readonly AskedNode[], logs: string): Promise<string[]> {
  const faults: string[] = [];
  const beaten = new Set([...logs.matchAll(/found block ([0-9a-f]{64}) was beaten by [0-9a-f]{64}/g)].map(([, hash]) => hash));
  for (const { hash, height, answer } of found) {
    if (answer === undefined) continue;
    for (const node of nodes) {
      const confirmations = await node.confirmations(hash);
      if (confirmations !== null && confirmations > 0) continue;
      if (beaten.has(hash)) continue;
      const state = confirmations === null ? 'does not know it' : 'has it beside its best chain';
      faults.push(
        `block ${hash} at height ${height} was answered with ${JSON.stringify(answer)}, ${node.name} ${state}, and no log tells why`,
      );
    }
  }
  return faults;
}
