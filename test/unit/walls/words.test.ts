// Comments name who acts: the peer, the client, the caller, the thread. Words that name none are refused in comment
// lines of the sources. "Nobody" and "anyone" are sometimes right (an output that anyone can spend), so they are not
// among them; strings are not looked at.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';

const root = path.resolve(import.meta.dirname, '../../../..');

const NAMELESS = /\b(whoever|somebody|someone|everybody|anybody)\b/i;

/** Returns the comment of a line: the whole line within a block comment, or the text after two slashes. */
function commentOf(line: string): string {
  if (/^\s*(?:\/\/|\/?\*)/.test(line)) return line;
  return /\s(?:\/\/|\/\*).*$/.exec(line)?.[0] ?? '';
}

function sources(folder: string): string[] {
  const names = fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => path.join(folder, name));
}

t.test('comments name the peer, the client, the caller or the thread', (t) => {
  const files = ['src', 'workers'].flatMap(sources);
  t.ok(files.length > 500, 'the sources were found');
  const found: string[] = [];
  for (const file of files) {
    const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n');
    lines.forEach((line, at) => {
      if (NAMELESS.test(commentOf(line))) found.push(`${file}:${at + 1}: ${line.trim()}`);
    });
  }
  t.same(found, []);
  t.end();
});
