// Reads the whole state of a wallet, on the disk and in memory. Tests check that a refused call leaves it unchanged.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Daemon } from './daemon.js';

/** Digests of the parts on the disk, and the answers from memory. */
export interface WalletParts {
  /** Every row of the database, as backupwallet reads them from the store. */
  readonly rows: string;
  /** settings.json, and the files in the folders of all wallets except their databases. */
  readonly files: string;
  /** Answers of the wallet from its tables, by call. */
  readonly memory: readonly string[];
}

type Call = readonly [method: string, ...params: unknown[]];

/** Calls that are answered from memory. */
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
 * Removes a figure that even a failed import changes: the first import creates the wallet's key manager, as in Core,
 * and as long as it has no key, its age is the time of the call.
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

  /** @param more further calls whose answers must stay the same */
  constructor(
    private readonly node: Daemon,
    private readonly name: string,
    more: readonly Call[] = [],
  ) {
    this.#asked = [...ASKED, ...more];
    this.#backup = path.join(node.dir, 'state');
  }

  async read(): Promise<WalletParts> {
    // Read the memory first. A row that is written late would then show in the database below.
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
        // Exclude the files of databases, which RocksDB creates and deletes at any time.
        if (entry.isDirectory() && entry.name !== 'wallet.db') walk(file);
      }
    };
    walk(path.join(this.node.networkDir, 'wallets'));
    const settings = path.join(this.node.networkDir, 'settings.json');
    return digest(names.sort().join('\n'), fs.existsSync(settings) ? fs.readFileSync(settings) : 'none');
  }
}

/** Returns the parts that differ, and the answers that have changed. */
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
