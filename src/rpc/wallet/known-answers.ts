// Caches answers until a wallet changes, because pools and exchanges repeat questions about the same addresses and
// payments. For answers that depend only on the question and the wallet.
import type { Wallet } from '../../wallet/index.js';
import { RawJson } from '../wire/values.js';

/** Longest question whose answer is cached. No address or txid is longer. */
const LONGEST_QUESTION = 128;

/** Cached answers of one wallet. */
class WalletAnswers {
  generation = -1;
  /** The newer half of the cache. The older half is dropped when this one is full. */
  young = new Map<string, RawJson>();
  old = new Map<string, RawJson>();
}

/** Cached answers to one kind of question, by wallet. */
export class KnownAnswers {
  readonly #wallets = new WeakMap<Wallet, WalletAnswers>();
  readonly #most: number;
  readonly #longest: number;

  /**
   * @param most largest number of cached answers per wallet
   * @param longest largest length of a cached answer, in characters
   */
  constructor(most: number, longest: number) {
    this.#most = most;
    this.#longest = longest;
  }

  get(wallet: Wallet, question: string): RawJson | undefined {
    const answers = this.#wallets.get(wallet);
    if (answers === undefined || answers.generation !== wallet.storage.generation) return undefined;
    return answers.young.get(question) ?? answers.old.get(question);
  }

  /** Caches an answer that was just computed. @returns the answer */
  storeAnswer(wallet: Wallet, question: string, answer: string): RawJson {
    const result = new RawJson(answer);
    if (question.length > LONGEST_QUESTION || answer.length > this.#longest) return result;
    let answers = this.#wallets.get(wallet);
    if (answers === undefined || answers.generation !== wallet.storage.generation) {
      answers = new WalletAnswers();
      answers.generation = wallet.storage.generation;
      this.#wallets.set(wallet, answers);
    } else if (answers.young.size >= this.#most / 2) {
      answers.old = answers.young;
      answers.young = new Map();
    }
    answers.young.set(question, result);
    return result;
  }
}
