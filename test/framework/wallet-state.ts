// All that a wallet is at a moment, on the disk and in memory: what a call that is refused has to leave alone.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Daemon } from './daemon.js';

/** Digests of the parts, and the answers themselves. */
export interface WalletParts {
  /** Every row of the database, as backupwallet reads them from the store. */
  readonly rows: string;
  /** settings.json, and the files in the folders of all wallets except their databases. */
  readonly files: string;
  /** Answers of the wallet from its tables, by call. */
  readonly memory: readonly string[];
}

type Call = readonly [method: string, ...params: unknown[]];

/** Answered from memory, whatever the wallet holds. */
const ASKED: readonly Call[] = [
  ['getwalletinfo'],
  ['getbalances'],
  ['listlabels'],
  ['listlockunspent'],
  ['listunspent', 0],
  ['listtransactions', '*', 1000, 0, true],
  ['listreceivedbyaddress', 0, true, true],
  ['listwallets'],
];

/**
 * The first import makes a wallet's key manager, one that fails too, as in Core; with no key in it its age is the time
 * of the call.
 */
const shownOf = (answer: unknown): string => JSON.stringify(answer).replace(/"keypoololdest":\d+,/, '');

const digest = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

export class WalletState {
  readonly #asked: Call[];
  readonly #backup: string;

  /** @param more further calls whose answers must stay */
  constructor(
    private readonly node: Daemon,
    private readonly name: string,
    more: readonly Call[] = [],
  ) {
    this.#asked = [...ASKED, ...more];
    this.#backup = path.join(node.dir, 'state');
  }

  async read(): Promise<WalletParts> {
    // First what is in memory: a row that comes late would be seen below.
    const memory = await this.#memory();
    await this.node.callWallet(this.name, 'backupwallet', this.#backup);
    return { memory, rows: digest(fs.readFileSync(this.#backup)), files: this.#files() };
  }

  async #memory(): Promise<string[]> {
    const batch = this.#asked.map(([method, ...params], id) => ({ id, method, params }));
    const { body } = await this.node.post(JSON.stringify(batch), { path: `/wallet/${this.name}` });
    return (JSON.parse(body) as { result: unknown; error: unknown }[]).map(({ result, error }) => shownOf(error ?? result));
  }

  #files(): string {
    const names: string[] = [];
    const walk = (folder: string): void => {
      for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const file = path.join(folder, entry.name);
        names.push(file);
        // The database's own files come and go as it likes.
        if (entry.isDirectory() && entry.name !== 'wallet.db') walk(file);
      }
    };
    walk(path.join(this.node.networkDir, 'wallets'));
    const settings = path.join(this.node.networkDir, 'settings.json');
    return digest(names.sort().join('\n'), fs.existsSync(settings) ? fs.readFileSync(settings) : 'none');
  }
}

/** Which parts differ, and what is answered otherwise. */
export function changesOf(before: WalletParts, after: WalletParts): string[] {
  const changed: string[] = (['rows', 'files'] as const).filter((part) => before[part] !== after[part]);
  after.memory.forEach((answer, i) => {
    const old = before.memory[i];
    if (old === answer) return;
    const from = [...answer].findIndex((letter, at) => letter !== old[at]);
    changed.push(`...${old.slice(Math.max(0, from - 60), from + 60)} to ${answer.slice(Math.max(0, from), from + 60)}`);
  });
  return changed;
}
