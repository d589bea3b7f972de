// Reads the requests of importmulti for legacy wallets.

import { hashKey } from '../../consensus/bytes/hex.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { ScriptImport, Wallet } from '../../wallet/index.js';
import type { WalletContext } from '../context/wallet.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { JsonObject } from '../wire/values.js';
import { elementError } from './import-outcome.js';
import {
  emptyImport,
  fillFromDescriptor,
  fillFromScript,
  type ImportData,
  type ImportHead,
  MOST_INDICES,
  readImportHead,
  wipeImport,
} from './import-request.js';
import type { ImportReader, ReadImport } from './imports.js';

/** Compares scripts by length, then by bytes: the order in which Core iterates over a set of scripts. */
const compareScripts = (a: Uint8Array, b: Uint8Array): number => a.length - b.length || Buffer.compare(a, b);

export class ScriptImportReader implements ImportReader {
  readonly words = { what: 'key with creation', things: 'key' };
  readonly #slice = new TimeSlice();
  readonly #left = { indices: MOST_INDICES };
  readonly #ctx: WalletContext;
  readonly #wallet: Wallet;
  readonly #call: CallInfo;

  constructor(ctx: WalletContext, wallet: Wallet, call: CallInfo) {
    this.#ctx = ctx;
    this.#wallet = wallet;
    this.#call = call;
  }

  async read(request: JsonObject, time: number): Promise<ReadImport> {
    const data = emptyImport();
    let warnings: readonly string[] = [];
    try {
      const head = readImportHead(this.#wallet, request);
      if (head.hasScript) fillFromScript(this.#ctx, request, this.#call, data);
      else await fillFromDescriptor(this.#ctx, request, this.#call, data, this.#left);
      warnings = data.warnings;
      if (this.#wallet.record.privateKeysDisabled && data.secrets.size > 0) {
        fail(RPC_CODE.WALLET_ERROR, 'Cannot import private keys to a wallet with private keys disabled');
      }
      return { item: this.#itemOf(data, head, time), warnings };
    } catch (error) {
      wipeImport(data);
      return { error: elementError(error), warnings };
    } finally {
      if (this.#slice.over) await this.#slice.next();
    }
  }

  #itemOf(data: ImportData, { internal, label, addToPool }: ImportHead, time: number): ScriptImport {
    const { hash160 } = this.#ctx.crypto;
    return {
      kind: 'scripts',
      targets: data.targets.sort(compareScripts),
      scripts: [...data.scripts.values()].sort(compareScripts),
      scriptTime: time,
      secrets: [...data.secrets.values()],
      origins: data.origins,
      publicKeys: data.ordered.flatMap((key, at) =>
        data.publicKeys.has(hashKey(hash160(key))) ? { key, internal: internal || at >= data.changeFrom } : [],
      ),
      addToPool,
      hasSolvingData: data.hasSolvingData,
      label: internal ? null : label,
      time,
      refusesOwn: true,
    };
  }
}
