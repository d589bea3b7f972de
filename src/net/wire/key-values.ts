// Lines of `key=value` pairs, as Tor's control port (control-spec.txt) and I2P's SAM bridge reply with them.

/** The key=value pairs of a line, values with the escapes of C strings taken out. @returns empty for a malformed line */
export function keyValues(line: string): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < line.length; ) {
    const next = line.indexOf(' ', at);
    const space = next < 0 ? line.length : next;
    const word = line.slice(at, space);
    const length = word.indexOf('=');
    if (length < 0) {
      if (word !== '') found.set(word, '');
      at = space + 1;
      continue;
    }
    const key = word.slice(0, length);
    const equals = at + length;
    if (line[equals + 1] !== '"') {
      found.set(key, line.slice(equals + 1, space));
      at = space + 1;
      continue;
    }
    let end = equals + 2;
    while (end < line.length && line[end] !== '"') end += line[end] === '\\' ? 2 : 1;
    if (end >= line.length) return new Map();
    found.set(key, unescaped(line.slice(equals + 2, end)));
    at = end + 2;
  }
  return found;
}

function unescaped(text: string): string {
  const named: Record<string, string> = { n: '\n', t: '\t', r: '\r' };
  return text.replace(/\\([0-3][0-7]{2}|[0-7]{1,2}|.)/g, (_whole, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (named[code] ?? code),
  );
}
