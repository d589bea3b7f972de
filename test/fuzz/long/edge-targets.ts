// Targets for input of the operator and the client: configuration files, command lines, adit-cli's arguments,
// credentials and access lists.
import { convertArguments } from '../../../src/cli/arguments.js';
import { prettyJson } from '../../../src/cli/run.js';
import { Args, ConfigError } from '../../../src/config/args.js';
import { parseConf } from '../../../src/config/conf-file.js';
import { allFlags } from '../../../src/config/flags.js';
import { Authenticator } from '../../../src/http/front/auth.js';
import { METHODS } from '../../../src/rpc/declare/methods.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { type Dice, textOf, utf8, wordsOf } from './dice.js';
import { attempt, hold, succeeds, type Target } from './target.js';

const flagNames = allFlags.map(({ name }) => name);
const values = [
  '',
  ...'0 1 -1 2147483648 true abc 1.5 0.00001 99999999999999999999 /tmp'.split(' '),
  'x:y$z',
  '127.0.0.1',
  '[::1]:7',
  '*',
  'é',
];
const configWords = wordsOf(
  '=',
  '#',
  '[',
  ']',
  '\n',
  ...'. no - regtest test [regtest] includeconf= rpcpassword='.split(' '),
  ' ',
  '\t',
  '\r',
);

function option(dice: Dice): string {
  const no = dice.oneIn(6) ? 'no' : '';
  const name = dice.oneIn(12) ? 'unheard' : dice.pick(flagNames);
  return dice.oneIn(5) ? no + name : `${no}${name}=${dice.pick(values)}`;
}

function configText(dice: Dice): string {
  return Array.from({ length: dice.below(6) }, () => {
    if (dice.oneIn(6)) return `[${dice.pick(['main', 'test', 'regtest', 'signet', 'x', ''])}]`;
    if (dice.oneIn(8)) return '# a comment';
    return `${dice.oneIn(5) ? dice.pick(['test.', 'regtest.', 'x.']) : ''}${option(dice)}`;
  }).join('\n');
}

/** Reads every option in every form. None of these calls may do more than refuse a value. */
function readAll(args: Args): void {
  for (const { name, kind } of allFlags) {
    if (!args.isSet(name)) continue;
    args.text(name);
    args.list(name);
    args.bool(name, false);
    hold(Number.isFinite(args.int(name, 0)), `-${name} is no number`);
    if (kind === 'amount') {
      const sats = attempt(ConfigError, () => args.amount(name, 0));
      hold(sats === undefined || (Number.isSafeInteger(sats) && sats >= 0), `-${name} is no amount`);
    }
    attempt(ConfigError, () => hold(Number.isSafeInteger(args.strictInt(name, 0, 0, 65535)), `-${name} is no whole number`));
  }
  for (const { values: given } of args.everything()) hold(given.length >= 0, 'everything');
  args.misplaced();
}

const configFiles: Target = {
  name: 'bitcoin.conf',
  share: 6,
  make: (dice) => (dice.oneIn(3) ? utf8(configText(dice)) : dice.mutate(utf8(configText(dice)), configWords)),
  check(input) {
    const text = textOf(input);
    const warnings: string[] = [];
    const lines = attempt(ConfigError, () => parseConf(text, 'f', (line) => warnings.push(line)));
    if (lines === undefined) return false;
    hold(lines.length <= text.split('\n').length, 'more options than lines');
    const args = new Args();
    let known = 0;
    for (const { section, name, value } of lines) {
      hold(!/[\n#]/.test(value) && value === value.replace(/^[ \t\r]+|[ \t\r]+$/g, ''), 'value');
      if (args.giveFromFile(section, name, value)) known++;
    }
    args.selectChain('regtest');
    if ((input[0] ?? 0) % 8 === 0) readAll(args);
    return known > 0;
  },
};

const commandLines: Target = {
  name: 'command-line',
  share: 4,
  make(dice) {
    const text = Array.from({ length: 1 + dice.below(4) }, () => `-${dice.oneIn(8) ? '-' : ''}${option(dice)}`).join('\0');
    return dice.oneIn(2) ? utf8(text) : dice.mutate(utf8(text), configWords);
  },
  check(input) {
    const argv = textOf(input).split('\0');
    const args = new Args();
    if (!succeeds(ConfigError, () => args.parseCommandLine(argv))) return false;
    args.selectChain('regtest');
    if ((input[1] ?? 0) % 4 === 0) readAll(args);
    return true;
  },
};

const specs = [...METHODS.values()];
const cliWords = wordsOf('=', '"', '{', '}', '[', ']', ',', '1', 'null', 'e5', '\0');

const clientWords: Target = {
  name: 'cli-arguments',
  share: 6,
  make(dice) {
    const spec = dice.pick(specs);
    const argument = (): string => dice.pick(['1', '"x"', '[]', '{"a":1}', 'null', 'text', '', '0.1', '[{"txid":"00","vout":0}]', 'true']);
    const named = dice.oneIn(3);
    const parts = Array.from({ length: dice.below(4) }, () =>
      named
        ? `${dice.oneIn(5) ? 'nope' : (spec.args[dice.below(spec.args.length || 1)]?.name.split('|')[0] ?? 'x')}=${argument()}`
        : argument(),
    );
    const text = [spec.name, named ? 'n' : 'p', ...parts].join('\0');
    return dice.oneIn(2) ? utf8(text) : dice.mutate(utf8(text), cliWords);
  },
  check(input) {
    const [name = '', how = '', ...words] = textOf(input).split('\0');
    let converted: ReturnType<typeof convertArguments>;
    try {
      converted = convertArguments(METHODS.get(name), words, how === 'n');
    } catch (error) {
      hold(error instanceof Error && /^Error parsing JSON: /.test(error.message), `refused in other words: ${error}`);
      return false;
    }
    const text = encodeJson(converted);
    JSON.parse(text);
    hold(prettyJson(converted).length >= text.length - 2, 'indented it is shorter');
    return METHODS.has(name);
  },
};

const users = new Authenticator({
  plain: ['user:pa:ss'],
  hashed: [{ user: 'bob', salt: 'salt', hashHex: 'ab'.repeat(32) }],
});
const RIGHT = `Basic ${Buffer.from('user:pa:ss').toString('base64')}`;

const credentials: Target = {
  name: 'authorization',
  share: 8,
  make(dice) {
    const given = dice.pick([
      'user:pa:ss',
      'user:pa:ss',
      'user:',
      ':',
      'bob:x',
      'bob',
      '',
      'user:pa:sS',
      '__cookie__:00',
      `u:${'x'.repeat(300)}`,
    ]);
    const header = `${dice.pick(['Basic ', 'Basic ', 'Basic ', 'basic ', 'Bearer ', 'Basic', ''])}${Buffer.from(given).toString('base64')}${dice.pick(['', ' ', '=', '!'])}`;
    return dice.oneIn(2) ? utf8(header) : dice.mutate(utf8(header), wordsOf('=', ' ', 'Basic ', ':'));
  },
  check(input) {
    const header = textOf(input);
    const result = users.check(header);
    hold((result.kind === 'missing') === (header === ''), 'missing or not');
    if (result.kind === 'user') {
      // Core decodes up to the first character of another alphabet.
      const text = Buffer.from(/^[A-Za-z0-9+/]*/.exec(header.slice(6).trim())![0], 'base64').toString();
      hold(header.startsWith('Basic ') && text === 'user:pa:ss', `${JSON.stringify(header)} gets in`);
    }
    return result.kind === 'user' || header === RIGHT;
  },
};

export const edgeTargets: readonly Target[] = [configFiles, commandLines, clientWords, credentials];
