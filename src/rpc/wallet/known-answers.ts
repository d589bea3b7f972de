// What was answered since a wallet last changed: pools and exchanges ask about the same addresses and payments again
// and again. For answers that depend on nothing but their question and the wallet.
import type { Wallet } from '../../wallet/wallet.js';
import { RawJson } from '../wire/values.js';

/** Longer questions are not kept: no address or txid is. */
const LONGEST_QUESTION = 128;

/** Answers of one wallet. */
class WalletAnswers {
  generation = -1;
  /** The newer half, and what was new before it. */
  young = new Map<string, RawJson>();
  old = new Map<string, RawJson>();
}

/** Answers to one kind of question, by wallet. */
export class KnownAnswers {
  readonly #wallets = new WeakMap<Wallet, WalletAnswers>();
  readonly #most: number;
  readonly #longest: number;

  /** @param most answers kept per wallet @param longest characters of an answer that is kept */
  constructor(most: number, longest: number) {
    this.#most = most;
    this.#longest = longest;
  }

  get(wallet: Wallet, question: string): RawJson | undefined {
    const kept = this.#wallets.get(wallet);
    if (kept === undefined || kept.generation !== wallet.generation) return undefined;
    return kept.young.get(question) ?? kept.old.get(question);
  }

  /** Keeps an answer that was worked out just now. @returns it */
  storeAnswer(wallet: Wallet, question: string, answer: string): RawJson {
    const result = new RawJson(answer);
    if (question.length > LONGEST_QUESTION || answer.length > this.#longest) return result;
    let kept = this.#wallets.get(wallet);
    if (kept === undefined || kept.generation !== wallet.generation) {
      kept = new WalletAnswers();
      kept.generation = wallet.generation;
      this.#wallets.set(wallet, kept);
    } else if (kept.young.size >= this.#most / 2) {
      kept.old = kept.young;
      kept.young = new Map();
    }
    kept.young.set(question, result);
    return result;
  }
}
