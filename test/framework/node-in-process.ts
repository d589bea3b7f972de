// Runs a whole node in the test's own process, for tests that inject faults into it. Tests call it over HTTP.
import { loadConfig, parseArgs } from '../../src/config/load.js';
import type { NodeLogger } from '../../src/log/create-logger.js';
import { prepareFolders } from '../../src/node/data-folder.js';
import { type RunningNode, startNode } from '../../src/node/start.js';
import { httpRequest } from './http-request.js';
import { freePort } from './ports.js';
import { until } from './until.js';

/** Returns a logger that only collects the lines of errors. */
export const errorsInto = (errors: string[]): NodeLogger =>
  ({
    ...{ info() {}, warn() {}, debug() {}, shows: () => false, error: (line: string) => errors.push(line) },
    ...{ path: '', warnings: [], setCategory: () => false, categories: () => ({}), reopen() {}, close() {}, showMockTime() {} },
  }) as unknown as NodeLogger;

export class NodeInProcess {
  readonly #port: number;
  readonly node: RunningNode;

  private constructor(node: RunningNode, port: number) {
    this.node = node;
    this.#port = port;
  }

  static async start(dir: string, log: NodeLogger, ...options: string[]): Promise<NodeInProcess> {
    const port = await freePort();
    const own = ['-regtest', `-datadir=${dir}`, `-rpcport=${port}`, '-rpcuser=u', '-rpcpassword=p', '-listen=0', '-connect=0', '-par=1'];
    const config = loadConfig(parseArgs([...own, ...options]), prepareFolders);
    const node = new NodeInProcess(await startNode(config, log, new AbortController().signal, () => {}), port);
    await until('the node answers', () =>
      node.call('getblockcount').then(
        () => true,
        () => false,
      ),
    );
    return node;
  }

  async call(method: string, ...params: unknown[]): Promise<unknown> {
    return this.callAt('/', method, ...params);
  }
  async callAt(path: string, method: string, ...params: unknown[]): Promise<unknown> {
    const body = JSON.stringify({ id: 1, method, params });
    const { body: text } = await httpRequest({ port: this.#port, path, auth: 'u:p', agent: false, body });
    const { result, error } = JSON.parse(text) as { result: unknown; error: { code: number; message: string } | null };
    if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }
}
