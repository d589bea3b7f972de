// Derives descriptors from a legacy wallet: one combo() for each private key that is not derived from a seed, two combo()
// ranges for each seed, and an inferred descriptor for every other output script. Core:
// LegacyDataSPKM::MigrateToDescriptor.
import { encodeExtendedKey } from '../../address/bip32/extended-codec.js';
import { HARDENED, masterFromSeed } from '../../address/bip32/extended-key.js';
import { addChecksum } from '../../address/descriptor/checksum.js';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { Descriptor } from '../../address/descriptor/descriptor.js';
import type { KeyOrigin } from '../../address/descriptor/expansion.js';
import { inferDescriptor } from '../../address/descriptor/infer.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import type { KeyPair } from '../../address/descriptor/secrets.js';
import { equalBytes, hashKey, toHex } from '../../consensus/bytes/hex.js';
import { solve } from '../../policy/script-type.js';
import type { LegacyKeys } from '../keys/legacy-keys.js';
import { OWNERSHIP } from '../keys/ownership.js';
import { WALLET_CODE, WalletError } from '../manage/wallet-error.js';
import type { HdChain, WalletRecord } from '../wallet-record.js';

/** Descriptor to add to a new wallet. */
export interface MigratedDescriptor {
  readonly descriptor: Descriptor;
  /** Birth time in seconds; 0 if unknown. */
  readonly time: number;
  /** Index after the last key that the legacy wallet derived; 0 if the descriptor has no range. */
  readonly rangeEnd: number;
  /** Returns the private keys of the descriptor. The caller wipes them. */
  secrets(): KeyPair[];
}

/** Destination of a script that no key descriptor covers: the main wallet, the watch-only wallet, or the solvables wallet. */
export type RestKind = 'own' | 'watched' | 'solvable';

export interface RestDescriptor extends MigratedDescriptor {
  readonly kind: RestKind;
}

const unreadable = (): WalletError =>
  new WalletError(
    WALLET_CODE.WALLET,
    "Error: Unable to produce descriptors for this legacy wallet. Make sure to provide the wallet's passphrase if it is encrypted.",
  );

export class LegacyDescriptors {
  readonly #legacy: LegacyKeys;
  readonly #record: WalletRecord;
  readonly #context: DescriptorContext;
  /** True if the wallet has private keys disabled. Watched scripts then stay in the wallet itself. */
  readonly #publicOnly: boolean;

  /** @param legacy unlocked keys */
  constructor(legacy: LegacyKeys, record: WalletRecord, context: DescriptorContext, publicOnly: boolean) {
    this.#legacy = legacy;
    this.#record = record;
    this.#context = context;
    this.#publicOnly = publicOnly;
  }

  /** Yields descriptors of private keys: first keys that are not derived from a seed, and seeds, then the chains of the seeds. */
  *ofKeys(): Generator<MigratedDescriptor> {
    const { keys } = this.#legacy;
    const chains = this.#chains();
    const seeds = new Set(chains.map(({ seedId }) => hashKey(seedId)));
    for (const row of keys.rows()) {
      if (!keys.isPrivate(row)) continue;
      const id = keys.id(row);
      const metadata = keys.metadata(row);
      const seedId = metadata?.seedId;
      if (seedId && !equalBytes(seedId, id) && seeds.has(hashKey(seedId))) continue;
      const origin = metadata === undefined ? '' : originText(this.#legacy.origin(id), markOf(this.#context));
      const descriptor = this.#parse(`combo(${origin}${toHex(keys.anyPublicKey(row))})`);
      yield { descriptor, time: metadata?.time ?? 0, rangeEnd: 0, secrets: () => this.#secretsOf(descriptor) };
    }
    for (const chain of chains) yield* this.#ofChain(chain);
  }
  /** Returns the chains of the current seed and of earlier seeds, each once. */
  #chains(): HdChain[] {
    const { hd, inactive } = this.#record;
    const known = new Map<string, HdChain>();
    for (const chain of hd === null ? inactive : [hd, ...inactive])
      if (!known.has(hashKey(chain.seedId))) known.set(hashKey(chain.seedId), chain);
    return [...known.values()];
  }
  *#ofChain({ seedId, external, internal }: HdChain): Generator<MigratedDescriptor> {
    const root = this.#root(seedId);
    root.secret.fill(0);
    const key = encodeExtendedKey(root.key, this.#context.params, this.#context);
    const secrets = (): KeyPair[] => {
      const { secret } = this.#root(seedId);
      return [{ publicKey: root.key.publicKey, secret }];
    };
    const mark = markOf(this.#context);
    for (const half of this.#record.canSplit ? [0, 1] : [0]) {
      const descriptor = this.#parse(`combo(${key}/0${mark}/${half}${mark}/*${mark})`);
      yield { descriptor, time: 0, rangeEnd: half === 0 ? external : internal, secrets };
    }
  }
  /** Returns the current seed, 32 bytes that the caller wipes; null if there is none. */
  seed(): Uint8Array | null {
    const { hd } = this.#record;
    return hd === null ? null : this.#secret(hd.seedId);
  }
  #root(seedId: Uint8Array) {
    const seed = this.#secret(seedId);
    const root = masterFromSeed(seed, this.#context);
    seed.fill(0);
    if (root === null) throw unreadable();
    return root;
  }
  #secret(id: Uint8Array): Uint8Array {
    const secret = this.#legacy.secret(id);
    if (secret === undefined) throw unreadable();
    return secret;
  }

  /**
   * Yields descriptors of output scripts that the key descriptors do not cover, and of scripts that the legacy wallet can
   * solve but does not watch. Yields null for a script without a descriptor.
   * @param isMigrated returns whether the new wallet already has a script; called when the script is reached
   */
  *ofRest(isMigrated: (script: Uint8Array) => boolean): Generator<RestDescriptor | null> {
    const seen = new Set<string>();
    for (const script of this.#legacy.newScripts({ keys: 0, programs: 0, scripts: 0, watched: 0 })) {
      yield seen.has(hashKey(script)) || isMigrated(script) ? null : this.#describe(script, seen);
    }
  }
  #describe(script: Uint8Array, seen: Set<string>): RestDescriptor | null {
    const isMine = this.#legacy.isMine(script) !== OWNERSHIP.NO;
    if (!isMine && !this.#isUnwatched(script)) return null;
    seen.add(hashKey(script));
    const inferred = inferDescriptor(script, this.#legacy, this.#context);
    if (!isMine && !inferred.isSolvable) return null;
    const parsed = parseDescriptor(inferred.toString(), this.#context, { requireChecksum: true });
    // Drop scripts that no descriptor can express, as Core does.
    if ('error' in parsed) return null;
    const [descriptor] = parsed.descriptors;
    if (!descriptor.scripts(0)?.some((made) => equalBytes(made, script))) throw unreadable();
    const keys = descriptor.expand(0)?.keys ?? [];
    const { hashes } = this.#context;
    const isOwn = keys.length > 0 && keys.every(({ publicKey }) => this.#legacy.hasSecret(hashes.hash160(publicKey)));
    const kind = !isMine ? 'solvable' : isOwn || this.#publicOnly ? 'own' : 'watched';
    const time = this.#legacy.metadata(script)?.time ?? 0;
    return { kind, descriptor, time, rangeEnd: 0, secrets: () => (kind === 'own' ? this.#secretsOf(descriptor) : []) };
  }
  /**
   * Returns whether an output script is P2SH or P2WSH and the wallet can solve it. (Called only for scripts that are
   * not the wallet's.)
   */
  #isUnwatched(script: Uint8Array): boolean {
    const { type } = solve(script);
    return (type === 'scripthash' || type === 'witness_v0_scripthash') && this.#legacy.provider(script) !== undefined;
  }

  #parse(text: string): Descriptor {
    const parsed = parseDescriptor(addChecksum(text), this.#context, { requireChecksum: true });
    if ('error' in parsed) throw new Error(`own descriptor refused: ${parsed.error}`);
    return parsed.descriptors[0];
  }
  /** Returns the private keys that the wallet has for a descriptor without a range. */
  #secretsOf(descriptor: Descriptor): KeyPair[] {
    const { hashes } = this.#context;
    const pairs: KeyPair[] = [];
    for (const { publicKey } of descriptor.expand(0)?.keys ?? []) {
      const id = hashes.hash160(publicKey);
      if (this.#legacy.hasSecret(id)) pairs.push({ publicKey: publicKey.slice(), secret: this.#secret(id) });
    }
    return pairs;
  }
}

const markOf = ({ inferredMark }: DescriptorContext): string => inferredMark ?? "'";

function originText({ fingerprint, path }: KeyOrigin, mark: string): string {
  const steps = path.map((step) => `/${step % HARDENED}${step >= HARDENED ? mark : ''}`);
  return `[${toHex(fingerprint)}${steps.join('')}]`;
}
