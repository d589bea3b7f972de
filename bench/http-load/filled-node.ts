// A real daemon on regtest with coins and a mempool of ordinary payments, for benches of templates. Blocks and
// transactions come from the test framework, by HTTP calls. The environment variable OPTIONS adds options of the
// daemon, for example OPTIONS=-templatemode=core.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon } from '../../test/framework/daemon.js';
import { mine, type Template } from '../../test/framework/miner.js';
import { type Kind, MiniWallet, type Spendable } from '../../test/framework/mini-wallet.js';

/** The request that all benches send. */
export const TEMPLATE_CALL = '{"method":"getblocktemplate","params":[{"rules":["segwit"]}],"id":1}';

// Commitment of a block without transactions (BIP-0141): its witness root is the zero hash of the coinbase, and its
// reserved value is zero.
export const EMPTY_COMMITMENT = '6a24aa21a9ede2f61c3f71d1defd3fa999dfa36953755c690689799962b48bebd836974e8cf9';
const OUTPUTS_PER_SPLIT = 400;
const FEE_SATS = 20_000;
const BATCH = 100;

export class FilledNode {
  readonly daemon: Daemon;
  /** True if templates follow the mempool by themselves (mode live). */
  readonly live: boolean;
  /** A spendable coin that no payment spends. */
  spare!: Spendable;
  readonly #wallet = new MiniWallet();
  readonly #agent = new http.Agent({ keepAlive: true });

  private constructor(daemon: Daemon, live: boolean) {
    this.daemon = daemon;
    this.live = live;
  }

  /** @param transactions payments in the mempool: one p2wpkh input, two outputs each */
  static async start(transactions: number, ...options: string[]): Promise<FilledNode> {
    const all = [...options, ...(process.env.OPTIONS?.split(' ') ?? [])];
    const node = new FilledNode(
      await Daemon.start('-maxmempool=300', '-rehearse=0', ...all),
      !all.some((option) => /^-(templatemode=core|compat=)/.test(option)),
    );
    if (transactions > 0) await node.fill(transactions);
    return node;
  }

  /**
   * Returns a template with at least nine tenths of this number of payments. In mode live a template without
   * transactions may come first.
   */
  async fullTemplate(payments: number): Promise<Template> {
    for (;;) {
      const template = await this.template();
      if (template.transactions.length >= payments * 0.9) return template;
      await sleep(5);
    }
  }

  async template(): Promise<Template> {
    return this.daemon.call('getblocktemplate', { rules: ['segwit'] });
  }

  /** A solved block on the tip without transactions. */
  async emptyBlock(): Promise<{ hex: string; hashHex: string }> {
    const template = await this.template();
    return mine(
      { ...template, transactions: [], coinbasevalue: 0, default_witness_commitment: EMPTY_COMMITMENT },
      'p2wpkh',
      this.#wallet.key(),
    );
  }

  /** Returns different valid payments of the spare coin as hex. None of them is sent. */
  unsent(count: number): string[] {
    return Array.from({ length: count }, (_, i) => this.#wallet.spend([this.spare], ['p2wpkh', 'p2wpkh'], FEE_SATS + i).hex);
  }

  /** Sends a call as HTTP body and returns the reply. */
  post(body: string): Promise<{ status: number; body: string }> {
    return this.daemon.post(body, { agent: this.#agent });
  }

  async end(): Promise<void> {
    this.#agent.destroy();
    await this.daemon.stop();
    await this.daemon.remove();
  }

  /** Mines the coins for so many payments, and puts the payments into the mempool, which must be empty. */
  async fill(count: number): Promise<void> {
    const splits = Math.ceil(count / OUTPUTS_PER_SPLIT);
    const coinbases: Spendable[] = [];
    for (let i = 0; i < splits + 100; i++) coinbases.push(await this.mineBlock());
    this.spare = coinbases[splits] as Spendable;
    const coins: Spendable[] = [];
    for (const coinbase of coinbases.slice(0, splits)) {
      const split = this.#wallet.spend([coinbase], new Array<Kind>(OUTPUTS_PER_SPLIT).fill('p2wpkh'), FEE_SATS * 10);
      await this.daemon.call('sendrawtransaction', split.hex, 0);
      coins.push(...split.outputs);
    }
    await this.daemon.call('setmocktime', Math.floor(Date.now() / 1000) + 10);
    // In mode live a template follows a change of the mempool after a short time.
    while ((await this.template()).transactions.length < splits) await sleep(20);
    await this.mineBlock();
    await this.daemon.call('setmocktime', 0);
    for (let from = 0; from < count; from += BATCH) {
      const batch = coins.slice(from, Math.min(count, from + BATCH)).map((coin, i) => {
        const payment = this.#wallet.spend([coin], ['p2wpkh', 'p2wpkh'], FEE_SATS + from + i);
        return { method: 'sendrawtransaction', params: [payment.hex], id: i };
      });
      const reply = await this.post(JSON.stringify(batch));
      const refused = JSON.parse(reply.body).find((one: { error: unknown }) => one.error !== null);
      if (refused) throw new Error(`a payment was refused: ${JSON.stringify(refused)}`);
    }
    const { size } = await this.daemon.call('getmempoolinfo');
    if (size !== count) throw new Error(`${size} of ${count} payments are in the mempool`);
    await this.fullTemplate(count);
    // The template with the last payments is published within a second.
    if (this.live) await sleep(1500);
  }

  /** Mines the current template. @returns the coin of its coinbase */
  async mineBlock(): Promise<Spendable> {
    const mined = mine(await this.template(), 'p2wpkh', this.#wallet.key());
    const verdict = await this.daemon.call('submitblock', mined.hex);
    if (verdict !== null) throw new Error(`a block was refused: ${verdict}`);
    return mined.coinbase;
  }
}
