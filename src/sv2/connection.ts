// State machine of one client's connection, without sockets: bytes go in, events and bytes come out. Performs the
// handshake, decrypts frames, checks the order of messages, and answers messages that need no template: SetupConnection
// and extension negotiation. All other messages become events. Memory is limited by the longest message that a template
// client may send.
//
//   act1     64 bytes of the client's key            setup    SetupConnection, nothing else
//   open     all messages                            ended    nothing more is read
import { ByteQueue } from '../consensus/bytes/byte-queue.js';
import { DecodeError } from '../consensus/bytes/reader.js';
import {
  decodeRequestExtensions,
  decodeSetupConnection,
  encodeRequestExtensionsError,
  encodeSetupConnectionError,
  encodeSetupConnectionSuccess,
  type SetupConnection,
  SV2_VERSION,
  TEMPLATE_DISTRIBUTION,
} from './codec/common-messages.js';
import { decodeFrameHeader, EXTENSION_MESSAGE, EXTENSION_NEGOTIATION, type FrameHeader, MESSAGE } from './codec/frame.js';
import {
  type CoinbaseOutputConstraints,
  decodeConstraints,
  decodeRequestTransactionData,
  decodeSubmitSolution,
  type SubmitSolution,
} from './codec/template-messages.js';
import { ACT_ONE_BYTES, type NoiseSession, type NoiseTools, type ResponderIdentity, respond } from './noise/responder.js';
import { openPayload, SEALED_HEADER_BYTES, sealedLength, sealFrame } from './noise/transport.js';

/** The longest message that a template client needs is SubmitSolution: 22 bytes and a coinbase of at most 65,535. */
export const LARGEST_PAYLOAD = 22 + 65_535;

/** An event of the connection. `send` has bytes for the socket, in order. `close` is the last event. */
export type ConnectionEvent =
  | { readonly kind: 'send'; readonly bytes: Uint8Array }
  | { readonly kind: 'setup'; readonly setup: SetupConnection }
  | { readonly kind: 'constraints'; readonly constraints: CoinbaseOutputConstraints }
  | { readonly kind: 'data'; readonly templateId: bigint }
  | { readonly kind: 'solution'; readonly solution: SubmitSolution }
  /** A message that must be ignored by the specification: of another extension, or of an unknown type. */
  | { readonly kind: 'ignored'; readonly extension: number; readonly type: number }
  | { readonly kind: 'close'; readonly reason: CloseReason; readonly detail: string };

/** Reason why the server closes a connection, as metrics count it. */
export type CloseReason = 'handshake' | 'decryption' | 'oversized' | 'malformed' | 'out-of-order' | 'refused';

export interface ConnectionDeps extends NoiseTools {
  /** Called for each handshake, so that a renewed certificate takes effect. */
  readonly identity: () => ResponderIdentity;
}

export class Sv2Connection {
  readonly #deps: ConnectionDeps;
  readonly #bytes = new ByteQueue();
  #stage: 'act1' | 'setup' | 'open' | 'ended' = 'act1';
  #session: NoiseSession | null = null;
  /** Header of the frame whose payload is not complete yet. */
  #header: FrameHeader | null = null;
  /** Set after SetupConnection.Error was sent; the next event is `close`. */
  #refusal: string | null = null;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  /** True if the next step is the expensive one: act 1 is complete and act 2 must be computed. */
  get handshakeDue(): boolean {
    return this.#stage === 'act1' && this.#bytes.length >= ACT_ONE_BYTES;
  }
  /** True after SetupConnection succeeded. */
  get open(): boolean {
    return this.#stage === 'open';
  }
  /** Number of received bytes that are not processed yet. */
  get held(): number {
    return this.#bytes.length;
  }

  /** Appends bytes from the socket. */
  push(chunk: Uint8Array): void {
    if (this.#stage !== 'ended') this.#bytes.push(chunk);
  }

  /** Returns the next event; null if more bytes are needed. To be called until it returns null. */
  next(): ConnectionEvent | null {
    const event = this.#step();
    // Release the buffer if it is empty, because thousands of clients may send nothing for long.
    if (event === null && this.#bytes.length === 0) this.#bytes.clear();
    return event;
  }

  /** Encrypts a message. Messages must be sent in the order of the calls. Only after the handshake. */
  seal(type: number, payload: Uint8Array, extension = 0): Uint8Array {
    return sealFrame((this.#session as NoiseSession).sending, extension, type, payload);
  }

  /** Ends the state machine and overwrites its keys. */
  end(): void {
    this.#stage = 'ended';
    this.#bytes.clear();
    this.#session?.receiving.wipe();
    this.#session?.sending.wipe();
  }

  #step(): ConnectionEvent | null {
    if (this.#stage === 'ended') return null;
    if (this.#refusal !== null) return this.#close('refused', this.#refusal);
    if (this.#stage === 'act1') return this.#bytes.length < ACT_ONE_BYTES ? null : this.#answerActOne();
    const header = this.#header ?? this.#readHeader();
    if (header === null || 'kind' in header) return header;
    const length = sealedLength(header.length);
    if (this.#bytes.length < length) return null;
    this.#header = null;
    const payload = openPayload((this.#session as NoiseSession).receiving, this.#bytes.peek(length), header.length);
    this.#bytes.drop(length);
    if (payload === null) return this.#close('decryption', 'a message does not decrypt');
    return this.#message(header, payload);
  }

  #answerActOne(): ConnectionEvent {
    const { ellSwift, identity } = this.#deps;
    this.#session = respond(this.#bytes.takeBytes(ACT_ONE_BYTES), identity(), ellSwift.createKey(), this.#deps);
    this.#stage = 'setup';
    return { kind: 'send', bytes: this.#session.act2 };
  }

  #readHeader(): FrameHeader | ConnectionEvent | null {
    if (this.#bytes.length < SEALED_HEADER_BYTES) return null;
    const plain = (this.#session as NoiseSession).receiving.open(this.#bytes.peek(SEALED_HEADER_BYTES));
    this.#bytes.drop(SEALED_HEADER_BYTES);
    if (plain === null) {
      return this.#stage === 'setup'
        ? this.#close('handshake', 'the first message does not decrypt')
        : this.#close('decryption', 'a header does not decrypt');
    }
    const header = decodeFrameHeader(plain);
    if (header.length > LARGEST_PAYLOAD) return this.#close('oversized', `a message of ${header.length} bytes`);
    this.#header = header;
    return header;
  }

  #message(header: FrameHeader, payload: Uint8Array): ConnectionEvent {
    try {
      return this.#dispatch(header, payload);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return this.#close('malformed', `message ${header.type} of extension ${header.extension}: ${error.message}`);
    }
  }

  #dispatch({ extension, channel, type }: FrameHeader, payload: Uint8Array): ConnectionEvent {
    if (this.#stage === 'setup') {
      if (extension === 0 && type === MESSAGE.SETUP_CONNECTION) return this.#setUp(decodeSetupConnection(payload));
      return this.#close('out-of-order', `message ${type} of extension ${extension} before SetupConnection`);
    }
    if (!channel && extension === EXTENSION_NEGOTIATION && type === EXTENSION_MESSAGE.REQUEST) {
      const { requestId, requested } = decodeRequestExtensions(payload);
      const refusal = encodeRequestExtensionsError(requestId, requested, []);
      return { kind: 'send', bytes: this.seal(EXTENSION_MESSAGE.ERROR, refusal, EXTENSION_NEGOTIATION) };
    }
    if (extension !== 0 || channel) return { kind: 'ignored', extension, type };
    switch (type) {
      case MESSAGE.COINBASE_OUTPUT_CONSTRAINTS:
        return { kind: 'constraints', constraints: decodeConstraints(payload) };
      case MESSAGE.REQUEST_TRANSACTION_DATA:
        return { kind: 'data', templateId: decodeRequestTransactionData(payload) };
      case MESSAGE.SUBMIT_SOLUTION:
        return { kind: 'solution', solution: decodeSubmitSolution(payload) };
      default:
        return { kind: 'ignored', extension, type };
    }
  }

  #setUp(setup: SetupConnection): ConnectionEvent {
    const { protocol, minVersion, maxVersion } = setup;
    if (protocol !== TEMPLATE_DISTRIBUTION) return this.#refuse('unsupported-protocol', `protocol ${protocol}`);
    if (minVersion > SV2_VERSION || maxVersion < SV2_VERSION) {
      return this.#refuse('protocol-version-mismatch', `versions ${minVersion} to ${maxVersion}`);
    }
    this.#stage = 'open';
    return { kind: 'setup', setup };
  }

  /** Returns the answer to a `setup` event. */
  sealSetupSuccess(): Uint8Array {
    return this.seal(MESSAGE.SETUP_CONNECTION_SUCCESS, encodeSetupConnectionSuccess(SV2_VERSION, 0));
  }

  /** Sends the error first; the next event is `close`. */
  #refuse(errorCode: string, detail: string): ConnectionEvent {
    this.#refusal = `${errorCode}: ${detail}`;
    return { kind: 'send', bytes: this.seal(MESSAGE.SETUP_CONNECTION_ERROR, encodeSetupConnectionError(0, errorCode)) };
  }

  #close(reason: CloseReason, detail: string): ConnectionEvent {
    this.end();
    return { kind: 'close', reason, detail };
  }
}
