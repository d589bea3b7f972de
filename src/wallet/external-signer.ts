// Runs external signers, mostly hardware wallets, by a command of the operator (-signer): builds its arguments and
// checks its replies. Core's master: external_signer.cpp. Replies are not trusted: addresses are compared, descriptors
// are parsed without their secrets, and signatures are verified when they are combined (rpc/wallet/external-signer.ts).

/**
 * Runs a command without a shell, and parses the first line of its output as JSON. Rejects with a SignerError.
 * @param words program and arguments
 * @param input bytes for its standard input, which is then closed
 */
export type RunForJson = (words: readonly string[], input: string) => Promise<unknown>;

/** Error of a signer, in Core's words. */
export class SignerError extends Error {}

/** Device that the signer command lists as connected. */
export interface SignerDevice {
  /** Fingerprint of the master key, 8 hexadecimal digits. */
  readonly fingerprint: string;
  /** Model; empty if the signer does not report it. */
  readonly name: string;
}

/** Descriptors of an account as the signer reports them, not parsed yet. */
export interface SignerDescriptors {
  readonly receive: readonly string[];
  readonly internal: readonly string[];
}

const FINGERPRINT = /^[0-9a-f]{8}$/i;
/** Largest number of descriptors in a reply. Four address types exist, so a longer list is invalid. */
const MOST_DESCRIPTORS = 100;

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

export class ExternalSigner {
  readonly #words: readonly string[];
  readonly #command: string;
  readonly #chain: string;
  readonly #run: RunForJson;

  /** @param command program and arguments, separated by blanks @param chain main, test, testnet4, signet or regtest */
  constructor(command: string, chain: string, run: RunForJson) {
    this.#command = command;
    this.#words = command.split(/[ \t]+/).filter((word) => word !== '');
    this.#chain = chain;
    this.#run = run;
  }

  /** Returns the connected devices, each fingerprint once. @throws SignerError */
  async enumerate(): Promise<SignerDevice[]> {
    const reply = await this.#run([...this.#words, 'enumerate'], '');
    const refuse = (why: string): never => {
      throw new SignerError(`'${this.#command}' ${why}`);
    };
    if (!Array.isArray(reply)) return refuse('received invalid response, expected array of signers');
    const found = new Map<string, SignerDevice>();
    for (const entry of reply) {
      const { error, fingerprint, model } = membersOf(entry);
      if (typeof error === 'string') refuse(`error: ${error}`);
      if ((error ?? null) !== null) refuse('error');
      if ((fingerprint ?? null) === null) refuse('received invalid response, missing signer fingerprint');
      if (typeof fingerprint !== 'string' || !FINGERPRINT.test(fingerprint)) {
        return refuse('received invalid fingerprint, must be 8 hex characters');
      }
      if (!found.has(fingerprint)) found.set(fingerprint, { fingerprint, name: typeof model === 'string' ? model : '' });
    }
    return [...found.values()];
  }

  /** Returns the only connected device. @throws SignerError if there is none, or more than one */
  async findDevice(): Promise<SignerDevice> {
    const [first, ...others] = await this.enumerate();
    if (first === undefined) throw new NoSignerError('No external signers found');
    if (others.length > 0) throw new NoSignerError('More than one external signer found. Please connect only one at a time.');
    return first;
  }

  /** Returns the descriptors of an account. @throws SignerError */
  async descriptors(account: number): Promise<SignerDescriptors> {
    const reply = await this.#runOnDevice(await this.findDevice(), ['getdescriptors', '--account', String(account)]);
    const { receive, internal } = membersOf(reply);
    const texts = (list: unknown): readonly string[] => {
      if (Array.isArray(list) && list.length <= MOST_DESCRIPTORS && list.every((text) => typeof text === 'string')) return list;
      throw new SignerError('SetupDescriptorScriptPubKeyMans: Unexpected result');
    };
    return { receive: texts(receive), internal: texts(internal) };
  }

  /**
   * Shows an address on the device.
   * @param desc its descriptor
   * @throws SignerError if the device shows another address
   */
  async displayAddress(desc: string, address: string): Promise<void> {
    const reply = membersOf(await this.#runOnDevice(await this.findDevice(), ['displayaddress', '--desc', desc]));
    if (typeof reply.error === 'string') throw new SignerError(`Signer returned error: ${reply.error}`);
    if (typeof reply.address !== 'string') throw new SignerError('Signer did not echo address');
    if (reply.address !== address) throw new SignerError(`Signer echoed unexpected address ${reply.address}`);
  }

  /**
   * Lets the device sign a PSBT.
   * @param psbt Base64
   * @param fingerprints master keys that its inputs name, lower case
   * @returns the device's PSBT, Base64, not checked; null if the device does not sign
   * @throws SignerError
   */
  async signPsbt(psbt: string, fingerprints: ReadonlySet<string>): Promise<string | null> {
    const device = await this.findDevice();
    if (!fingerprints.has(device.fingerprint.toLowerCase())) return null;
    const words = [...this.#words, '--stdin', '--fingerprint', device.fingerprint, '--chain', this.#chain];
    const { error, psbt: signed } = membersOf(await this.#run(words, `signtx ${psbt}`));
    return typeof error !== 'string' && typeof signed === 'string' ? signed : null;
  }

  #runOnDevice({ fingerprint }: SignerDevice, words: readonly string[]): Promise<unknown> {
    return this.#run([...this.#words, '--fingerprint', fingerprint, '--chain', this.#chain, ...words], '');
  }
}

/**
 * Error if there is no device, or more than one. Calls that make payments reply with a message of their own instead.
 */
export class NoSignerError extends SignerError {}
