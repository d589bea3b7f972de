// The head of an HTTP/1.x request as Core's two servers read it (libevent's in 0.21, its own in newer releases), the
// more tolerant of both where they differ: bare line feeds, HTTP/1.0, no Host, folded headers, absolute targets. Bytes
// in, facts out. Used by connection.ts.

/** Bytes of the request line, and of all header lines together, at most: Core's MAX_HEADERS_SIZE. */
export const MOST_HEAD_BYTES = 8192;

const LF = 10;
const CR = 13;

/** What a head says. */
export interface RequestHead {
  /** Method as sent, upper or lower case. */
  readonly method: string;
  /** Request target with its query, without scheme and host. */
  readonly target: string;
  /** Of HTTP/1.x. */
  readonly minor: number;
  readonly authorization: string;
  readonly acceptEncoding: string;
  /** Declared length; -1 when none was, or when the body is chunked. */
  readonly contentLength: number;
  readonly chunked: boolean;
  /** Whether the connection ends with the reply: asked for, the way of HTTP/1.0, or because the framing is doubtful. */
  readonly closing: 'no' | 'client' | 'old' | 'server';
  /** HTTP/1.0 with Connection: keep-alive. */
  readonly keepsOld: boolean;
  readonly expectsContinue: boolean;
}

/** A head that is no request. The message says why, in words for the log. */
export class HeadFault extends Error {}

/** Bytes of empty lines before a head: some clients end a body with a line end that no length counts. */
export function emptyLines(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF)) at += bytes[at] === LF ? 1 : 2;
  return at;
}

/**
 * Looks for the end of a head that has no empty lines before it.
 * @returns where its body would begin; -1 when bytes are missing
 * @throws HeadFault when it is too large
 */
export function findHead(bytes: Buffer): number {
  let lineStart = 0;
  let headers = -1;
  for (;;) {
    const lineEnd = bytes.indexOf(LF, lineStart);
    const seen = lineEnd < 0 ? bytes.length : lineEnd + 1;
    if (seen - Math.max(headers, 0) > MOST_HEAD_BYTES) throw new HeadFault(`a head of more than ${MOST_HEAD_BYTES} bytes`);
    if (lineEnd < 0) return -1;
    const empty = lineEnd === lineStart || (lineEnd === lineStart + 1 && bytes[lineStart] === CR);
    if (empty) return seen;
    if (headers < 0) headers = seen;
    lineStart = seen;
  }
}

interface Fields {
  authorization: string | undefined;
  acceptEncoding: string;
  lengths: string[];
  coding: string | undefined;
  connection: string | undefined;
  expectsContinue: boolean;
}

/** @param text up to where findHead says, as latin1 @throws HeadFault */
export function readHead(text: string): RequestHead {
  if (text.includes('\0')) throw new HeadFault('a head with a NUL byte');
  // A line that begins with a space or a tab goes on with the one before.
  const whole = text.includes('\n ') || text.includes('\n\t') ? text.replace(/\r?\n[ \t]/g, ' ') : text;
  const lines = whole.split('\n');
  const [method, target, minor] = readRequestLine(withoutReturn(lines[0] ?? ''));
  const fields: Fields = {
    authorization: undefined,
    acceptEncoding: '',
    lengths: [],
    coding: undefined,
    connection: undefined,
    expectsContinue: false,
  };
  for (let i = 1; i < lines.length; i++) {
    const line = withoutReturn(lines[i]);
    if (line !== '') readField(line, fields);
  }
  const chunked = isChunked(fields.coding);
  const length = readLength(fields.lengths);
  const { connection } = fields;
  const keepsOld = minor === 0 && connection === 'keep-alive';
  let closing: RequestHead['closing'] = 'no';
  if (connection === 'close') closing = 'client';
  else if (minor === 0 && !keepsOld) closing = 'old';
  // A proxy in front may have read the other of the two.
  else if (chunked && length >= 0) closing = 'server';
  return {
    method,
    target,
    minor,
    authorization: fields.authorization ?? '',
    acceptEncoding: fields.acceptEncoding,
    contentLength: chunked ? -1 : length,
    chunked,
    closing,
    keepsOld,
    expectsContinue: fields.expectsContinue && minor > 0,
  };
}

function withoutReturn(line: string): string {
  const end = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (end.includes('\r')) throw new HeadFault('a head with a carriage return inside a line');
  return end;
}

function readRequestLine(line: string): [method: string, target: string, minor: number] {
  const [method, target, version, ...more] = line.split(' ');
  if (!method || !target || !version || more.length > 0) throw new HeadFault('a first line that is not METHOD TARGET VERSION');
  if (version.length !== 8 || !version.startsWith('HTTP/1.') || !/\d$/.test(version)) throw new HeadFault('a version other than HTTP/1.x');
  return [method, readTarget(target), Number(version[7])];
}

function readTarget(sent: string): string {
  let target = sent;
  const scheme = sent.startsWith('/') ? -1 : sent.indexOf('://');
  if (scheme > 0) {
    const path = sent.indexOf('/', scheme + 3);
    target = path < 0 ? '/' : sent.slice(path);
  }
  // The bytes are read as latin1, and meant as UTF-8.
  return /[^\0-\x7f]/.test(target) ? Buffer.from(target, 'latin1').toString() : target;
}

function readField(line: string, fields: Fields): void {
  const colon = line.indexOf(':');
  if (colon < 0) throw new HeadFault('a header line without a colon');
  if (colon === 0) throw new HeadFault('a header without a name');
  const name = line.slice(0, colon);
  if (name.includes(' ') || name.includes('\t')) throw new HeadFault('a header whose name has a space');
  switch (name.length) {
    case 13:
      if (name.toLowerCase() === 'authorization') fields.authorization ??= line.slice(colon + 1).trim();
      break;
    case 14:
      if (name.toLowerCase() === 'content-length') fields.lengths.push(line.slice(colon + 1).trim());
      break;
    case 17:
      if (name.toLowerCase() === 'transfer-encoding') fields.coding ??= line.slice(colon + 1).trim();
      break;
    case 10:
      if (name.toLowerCase() === 'connection')
        fields.connection ??= line
          .slice(colon + 1)
          .trim()
          .toLowerCase();
      break;
    case 15:
      if (name.toLowerCase() === 'accept-encoding') fields.acceptEncoding ||= line.slice(colon + 1).trim();
      break;
    case 6:
      if (name.toLowerCase() === 'expect')
        fields.expectsContinue ||=
          line
            .slice(colon + 1)
            .trim()
            .toLowerCase() === '100-continue';
      break;
    default:
  }
}

function isChunked(coding: string | undefined): boolean {
  const name = coding?.toLowerCase() ?? '';
  if (name !== '' && name !== 'chunked' && name !== 'identity') throw new HeadFault('a Transfer-Encoding other than chunked');
  return name === 'chunked';
}

/** -1 without any. */
function readLength(lengths: readonly string[]): number {
  if (lengths.length === 0) return -1;
  const [first] = lengths;
  if (lengths.some((length) => length !== first)) throw new HeadFault('two Content-Lengths that differ');
  if (!/^\d+$/.test(first)) throw new HeadFault('a Content-Length that is no number');
  return Number(first);
}
