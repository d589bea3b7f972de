// Refuses patterns in the sources whose work grows with the square of their input, or whose arguments overflow the
// stack. This test only reads the text. unit/rpc/growth measures the methods, but cannot see the work inside a regular
// expression.
import fs from 'node:fs';
import path from 'node:path';
import { isSafe } from 'redos-detector';
import t from 'tap';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Finds regular expression literals by the text that may stand before an expression. */
const LITERAL = /(?:[(=,:?&|![{;]|=>|return)\s*\/((?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuy]*)/g;

/** Literals that the detector does not accept, with the reason why they are safe. */
const BOUNDED: Readonly<Record<string, string>> = {
  'cli/run.ts: /^(?:\\[([^\\]]+)\\]|([^:]+))(?::(.*))?$/': 'adit-cli reads its own -rpcconnect',
  'config/args.ts: /^\\s*(\\d*)(?:\\.(\\d{0,8}))?\\s*$/': "the operator's own option",
  'config/settings-file.ts: /"(?:[^"\\\\]|\\\\.)*"(?=(\\s*:)?)|[[\\]{}]/':
    'a file that the node writes, and that JSON.parse has taken: each quote is closed',
  'consensus/limits.ts: /0+$/': 'sixteen digits',
  'net/peer/connector.ts: /\\.onion(:\\d+)?$/': 'tries begin at .onion and end at the next dot',
  'net/wire/key-values.ts: / *([^ =]*)(?:=(?:"((?:[^"\\\\]|\\\\.)*)"|(?!")([^ ]*)))?(?: +|$)/':
    'sticky: a pair begins where the last one ended, and one that does not fit ends the line',
  'node/http-options.ts: /^(?:\\[([^\\]]+)\\]|([^:]+)|(.*:.*:.*))(?::(\\d{1,5}))?$/': "the operator's own option",
  'node/http-options.ts: /^\\[.*:.*\\]$/': "the operator's own option",
  'node/network-access.ts: /\\.onion(:\\d+)?$/': 'tries begin at .onion and end at the next dot',
  'rpc/wire/json-write.ts: /\\.?0+$/': 'sixteen digits',
};

const sources: { file: string; text: string }[] = fs
  .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .map((file) => ({ file, text: fs.readFileSync(path.join(root, 'src', file), 'utf8') }));
/** Returns the code of each line without the comment after `//`. */
const linesOf = (text: string): string[] => text.split('\n').map((line) => (/^\s*(\/\/|\*|\/\*)/.test(line) ? '' : line));

t.test('regular expressions take linear time, except the listed ones', async (t) => {
  const found = new Set<string>();
  let seen = 0;
  for (const { file, text } of sources) {
    for (const [, pattern, flags] of linesOf(text).join('\n').matchAll(LITERAL)) {
      seen++;
      if (!isSafe(new RegExp(pattern, flags)).safe) found.add(`${file}: /${pattern}/`);
    }
  }
  t.ok(seen > 50, `${seen} expressions`);
  t.same([...found].sort(), Object.keys(BOUNDED).sort());
});

t.test('only the listed files build regular expressions from parts', async (t) => {
  const found = sources.filter(({ text }) => linesOf(text).some((line) => line.includes('RegExp('))).map(({ file }) => file);
  // One key in a bounded list of forms, anchored at both ends.
  t.same(found, ['address/descriptor/stored-text.ts']);
});

/** Finds lists that become arguments: about 100,000 elements overflow the stack. */
const SPREAD = /\b(?:push|unshift|max|min|fromCharCode|fromCodePoint)\(\.\.\./;
/** Files in which such lists are short, with the reason. */
const SHORT: Readonly<Record<string, string>> = {
  'address/base58.ts': 'at most some hundred bytes',
  'address/bip32/extended-codec.ts': 'one key',
  'address/wif.ts': 'one key',
  'chain/files/adopt-behind.ts': 'blocks of one stretch',
  'cli/flags.ts': 'flags',
  'cli/net-info.ts': 'peers',
  'cli/run.ts': "the caller's own lines",
  'config/args.ts': "the operator's options",
  'config/conf-file.ts': "the operator's options",
  'consensus/script/stack-ops.ts': 'two elements',
  'crypto/native/direct-hashes.ts': 'a constant list',
  'lib/scheduler.ts': 'tasks of the node',
  'mempool/feerate-diagram.ts': 'one cluster',
  'mempool/reorg.ts': 'inputs of one transaction',
  'node/inline-node-client.ts': 'ancestors of one transaction',
  'rpc/help.ts': 'declarations',
  'rpc/methods/rawtransactions/submitpackage.ts': 'a package of 25',
  'rpc/wallet/addresses.ts': 'a prefix',
  'rpc/wallet/import-request.ts': 'scripts of one index',
  'wallet/coins/ledger.ts': 'transactions that spend one coin',
  'wallet/image/image-file.ts': 'columns of a table',
};

t.test('no list of unbounded length is spread into call arguments', async (t) => {
  const found = sources.filter(({ text }) => linesOf(text).some((line) => SPREAD.test(line)));
  t.same(
    found.map(({ file }) => file).filter((file) => !(file in SHORT)),
    [],
  );
});

/** Finds members that are read by name in a loop over all names. This is quadratic, and wrong if a name occurs twice. */
const BY_NAME = /for \((?:const|let) (\w+) of (\w+)\.keys\)[\s\S]{0,800}?\2\.(?:get|has)\(\1\)/g;

t.test('no loop over keys looks up members of an object by name', async (t) => {
  t.same(
    sources.filter(({ text }) => text.search(BY_NAME) >= 0).map(({ file }) => file),
    [],
  );
});

t.test('isSafe recognises regular expressions with superlinear time', async (t) => {
  t.equal(isSafe(/0+$/).safe, false);
  t.equal(isSafe(/^(a+)+$/).safe, false);
  t.equal(isSafe(/^[0-9a-f]*$/).safe, true);
});
