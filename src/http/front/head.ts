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

/** How far a head was looked through that was not whole: where its last line and its header lines begin. */
export interface HeadSearch {
  lineStart: number;
  /** -1 before the first line has ended. */
  headers: number;
}

export const newSearch = (): HeadSearch => ({ lineStart: 0, headers: -1 });

/**
 * Looks for the end of a head that has no empty lines before it.
 * @param search where an earlier look at fewer of these bytes has ended; it is moved on
 * @returns where its body would begin; -1 when bytes are missing
 * @throws HeadFault when it is too large
 */
export function findHead(bytes: Buffer, search = newSearch()): number {
  let { lineStart, headers } = search;
  for (;;) {
    const lineEnd = bytes.indexOf(LF, lineStart);
    const seen = lineEnd < 0 ? bytes.length : lineEnd + 1;
    if (seen - Math.max(headers, 0) > MOST_HEAD_BYTES) throw new HeadFault(`a head of more than ${MOST_HEAD_BYTES} bytes`);
    if (lineEnd < 0) {
      search.lineStart = lineStart;
      search.headers = headers;
      return -1;
    }
    const empty = lineEnd === lineStart || (lineEnd === lineStart + 1 && bytes[lineStart] === CR);
    if (empty) return seen;
    if (headers < 0) headers = seen;
    lineStart = seen;
  }
}

/** Readers differ in what they make of one: part of a value, a space, an end. */
export const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const NAME = /^[!-~]+$/;

interface Fields {
  authorization: string | undefined;
  acceptEncoding: string;
  lengths: string[];
  codings: string[];
  connection: string | undefined;
  expectsContinue: boolean;
}

/** @param text up to where findHead says, as latin1 @throws HeadFault */
export function readHead(text: string): RequestHead {
  if (CONTROLS.test(text)) throw new HeadFault('a head with a control character');
  // A line that begins with a space or a tab goes on with the one before.
  const whole = text.includes('\n ') || text.includes('\n\t') ? text.replace(/\r?\n[ \t]/g, ' ') : text;
  const lines = whole.split('\n');
  const [method, target, minor] = readRequestLine(withoutReturn(lines[0] ?? ''));
  const fields: Fields = {
    authorization: undefined,
    acceptEncoding: '',
    lengths: [],
    codings: [],
    connection: undefined,
    expectsContinue: false,
  };
  for (let i = 1; i < lines.length; i++) {
    const line = withoutReturn(lines[i]);
    if (line !== '') readField(line, fields);
  }
  const { codings } = fields;
  const chunked = isChunked(codings[0]);
  const length = readLength(fields.lengths);
  const { connection } = fields;
  const keepsOld = minor === 0 && connection === 'keep-alive';
  let closing: RequestHead['closing'] = 'no';
  if (connection === 'close') closing = 'client';
  else if (minor === 0 && !keepsOld) closing = 'old';
  // A proxy in front may have read another length from it: nothing behind this request is read.
  else if (codings.length > 0 && (codings.length > 1 || !chunked || length >= 0 || minor === 0)) closing = 'server';
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

/** The place of a header's colon. @throws HeadFault when the line is no header */
export function fieldColon(line: string): number {
  const colon = line.indexOf(':');
  if (colon < 0) throw new HeadFault('a header line without a colon');
  if (colon === 0) throw new HeadFault('a header without a name');
  const name = line.slice(0, colon);
  if (!NAME.test(name)) throw new HeadFault('a header whose name has a space or a byte beyond ASCII');
  return colon;
}

function readField(line: string, fields: Fields): void {
  const colon = fieldColon(line);
  const name = line.slice(0, colon);
  switch (name.length) {
    case 13:
      if (name.toLowerCase() === 'authorization') fields.authorization ??= trimmed(line, colon + 1);
      break;
    case 14:
      if (name.toLowerCase() === 'content-length') fields.lengths.push(trimmed(line, colon + 1));
      break;
    case 17:
      if (name.toLowerCase() === 'transfer-encoding') fields.codings.push(trimmed(line, colon + 1));
      break;
    case 10:
      if (name.toLowerCase() === 'connection') fields.connection ??= trimmed(line, colon + 1).toLowerCase();
      break;
    case 15:
      if (name.toLowerCase() === 'accept-encoding') fields.acceptEncoding ||= trimmed(line, colon + 1);
      break;
    case 6:
      if (name.toLowerCase() === 'expect') fields.expectsContinue ||= trimmed(line, colon + 1).toLowerCase() === '100-continue';
      break;
    default:
  }
}

/** Without spaces and tabs at both ends. trim() takes bytes that no other reader takes for space. */
export function trimmed(text: string, start = 0): string {
  let from = start;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (from < to && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

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
