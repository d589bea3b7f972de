// Parses lines of `key=value` pairs, as in replies of Tor's control port (control-spec.txt) and I2P's SAM bridge.

/** Matches a key, a key with a value, or a key with a quoted value. */
const PAIR = / *([^ =]*)(?:=(?:"((?:[^"\\]|\\.)*)"|(?!")([^ ]*)))?(?: +|$)/sy;

/** Returns the pairs of a line, with C escapes decoded. @returns an empty map for a malformed line */
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
