// Parses the head of an HTTP/1.x request. Accepts what one of Core's servers accepts (libevent in 0.21, its own server in
// newer releases): bare line feeds, HTTP/1.0, no Host, folded headers, absolute targets.

/** Maximum size in bytes of the request line, and of all header lines together (Core's MAX_HEADERS_SIZE). */
export const MOST_HEAD_BYTES = 8192;

const LF = 10;
const CR = 13;

/** Contents of a head. */
export interface RequestHead {
  /** Method as sent, upper or lower case. */
  readonly method: string;
  /** Request target with its query, without scheme and host. */
  readonly target: string;
  /** Minor version of HTTP/1. */
  readonly minor: number;
  readonly authorization: string;
  readonly acceptEncoding: string;
  /** Declared Content-Length; -1 if the head declares none, or if the body is chunked. */
  readonly contentLength: number;
  readonly chunked: boolean;
  /** 'no': the connection stays open. 'client', 'old' (HTTP/1.0), 'server' (ambiguous framing): reason to close it after the reply. */
  readonly closing: 'no' | 'client' | 'old' | 'server';
  /** HTTP/1.0 with Connection: keep-alive. */
  readonly keepAliveHttp10: boolean;
  readonly expectsContinue: boolean;
}

/** A malformed request. The message is the cause, as the log shows it. */
export class HeadFault extends Error {}

/** Counts the bytes of empty lines before a head. Some clients send a line end after a body, beyond its declared length. */
export function emptyLines(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF)) at += bytes[at] === LF ? 1 : 2;
  return at;
}

/** Progress of findHead in an incomplete head: offsets of its last line and of its first header line. */
export interface HeadSearch {
  lineStart: number;
  /** Offset of the first header line; -1 until the request line is complete. */
  headers: number;
}

export const newSearch = (): HeadSearch => ({ lineStart: 0, headers: -1 });

/**
 * Finds the end of a head that has no empty lines before it.
 * @param search where an earlier call with fewer bytes stopped; updated by this call
 * @returns offset of the body; -1 when bytes are missing
 * @throws HeadFault when the head is too large
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

/** Control characters. HTTP servers and proxies interpret them differently: as part of a value, a space, or a line end. */
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

/** Parses a head. @param text the bytes up to the offset from findHead, as latin1 @throws HeadFault */
export function readHead(text: string): RequestHead {
  if (CONTROLS.test(text)) throw new HeadFault('a head with a control character');
  // A line that begins with a space or a tab continues the line before it.
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
  const keepAliveHttp10 = minor === 0 && connection === 'keep-alive';
  let closing: RequestHead['closing'] = 'no';
  if (connection === 'close') closing = 'client';
  else if (minor === 0 && !keepAliveHttp10) closing = 'old';
  // A proxy may have computed another length. Close after the reply, so that no later bytes are parsed as a request.
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
    keepAliveHttp10,
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
  if (!method || !target || !version || more.length > 0) throw new HeadFault('a request line that is not METHOD TARGET VERSION');
  if (version.length !== 8 || !version.startsWith('HTTP/1.') || !/\d$/.test(version)) throw new HeadFault('a version other than HTTP/1.x');
  return [method, readTarget(target), Number(version[7])];
}

function readTarget(sent: string): string {
  // The host ends where the path or the query begins. A slash inside the query does not begin a path.
  const host = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(sent)?.[0] ?? '';
  const path = sent.slice(host.length);
  const target = host === '' || path.startsWith('/') ? path : `/${path}`;
  // The head was decoded as latin1, but targets are UTF-8.
  return /[^\0-\x7f]/.test(target) ? Buffer.from(target, 'latin1').toString() : target;
}

/** Returns the offset of a header's colon. @throws HeadFault if the line is not a header */
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

/** Removes spaces and tabs at both ends. trim() would also remove bytes that other HTTP servers do not treat as space. */
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

/** Returns the declared Content-Length, or -1 if the head declares none. */
function readLength(lengths: readonly string[]): number {
  if (lengths.length === 0) return -1;
  const [first] = lengths;
  if (lengths.some((length) => length !== first)) throw new HeadFault('two Content-Lengths that differ');
  if (!/^\d+$/.test(first)) throw new HeadFault('a Content-Length that is not a number');
  return Number(first);
}
