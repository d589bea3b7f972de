// Lines of `key=value` pairs, as Tor's control port (control-spec.txt) and I2P's SAM bridge reply with them.

/** A key alone, with a value, or with a value in quotes. */
const PAIR = / *([^ =]*)(?:=(?:"((?:[^"\\]|\\.)*)"|(?!")([^ ]*)))?(?: +|$)/sy;

/** The key=value pairs of a line, without the escapes of C strings. @returns empty for a malformed line */
export function keyValues(line: string): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < line.length; at = PAIR.lastIndex) {
    PAIR.lastIndex = at;
    const pair = PAIR.exec(line);
    if (pair === null) return new Map();
    const [, key, quoted, plain] = pair;
    found.set(key, quoted === undefined ? (plain ?? '') : unescaped(quoted));
  }
  return found;
}

function unescaped(text: string): string {
  const named: Record<string, string> = { n: '\n', t: '\t', r: '\r' };
  return text.replace(/\\([0-3][0-7]{2}|[0-7]{1,2}|.)/g, (_whole, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (named[code] ?? code),
  );
}
