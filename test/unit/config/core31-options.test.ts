// Every option of Bitcoin Core 31 against adit, by default and with -compat=31: the values that Core takes are taken, those
// that it refuses are refused in its words, and a default that is another one stands in docs/compatibility.md.
// core31-options.json says where the list is from.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { flagByName, optionRows } from '../../../src/config/flags.js';
import { loadConfig, type NodeConfig, parseArgs } from '../../../src/config/load.js';
import { defaultText } from '../../../src/config/rows.js';
import { COMPATS } from '../../../src/policy/compat.js';

interface CoreOption {
  readonly type: 'bool' | 'int' | 'amount' | 'text';
  /** As Core's help has it; absent: none, or it depends on the network. */
  readonly default?: string;
  /** DIR stands for a folder, FILE for an empty file. Switches take '', 0 and 1. */
  readonly takes?: readonly string[];
  /** Messages by value; a pattern between slashes. */
  readonly refuses?: Readonly<Record<string, string>>;
  /** Messages for `-name` without a value and for `-noname`. */
  readonly refusesElision?: string;
  readonly refusesNegation?: string;
  /** Options that it needs. */
  readonly with?: readonly string[];
  /** The option chooses the network, so -regtest is not given. */
  readonly chain?: boolean;
  /** adit's default is another one, for the reason in docs/compatibility.md. */
  readonly differs?: boolean;
  /** Not in Core's help. */
  readonly hidden?: boolean;
}

const repository = path.resolve(import.meta.dirname, '../../../..');
const table = path.join(repository, 'test/unit/config/core31-options.json');
const { options } = JSON.parse(fs.readFileSync(table, 'utf8')) as { options: Readonly<Record<string, CoreOption>> };
const docs = fs.readFileSync(path.join(repository, 'docs/compatibility.md'), 'utf8');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-core31-'));
const file = path.join(dir, 'empty');
fs.writeFileSync(file, '');
t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));

function load(version: string, option: CoreOption, ...argv: string[]): NodeConfig {
  const given = argv.map((arg) => arg.replace('=DIR', `=${dir}`).replace('=FILE', `=${file}`));
  const network = option.chain === true ? [] : ['-regtest'];
  return loadConfig(parseArgs([`-datadir=${dir}`, `-compat=${version}`, ...network, ...(option.with ?? []), ...given]));
}

/** Defaults that depend on other options, or that no row has. */
const derived: Readonly<Record<string, (config: NodeConfig, more: (argument: string) => NodeConfig) => unknown>> = {
  acceptnonstdtxn: ({ policy }) => policy.requireStandard === false,
  discover: ({ net }) => net.discover,
  dnsseed: ({ net }) => net.dnsSeed,
  i2pacceptincoming: ({ net }) => net.i2pAccept,
  listen: ({ net }) => net.listen,
  listenonion: ({ net }) => net.torControl !== null,
  mocktime: ({ mockTime }) => mockTime,
  printtoconsole: ({ log }) => log.console,
  shrinkdebugfile: ({ log }) => log.shrink ?? log.categories.length === 0,
  whitelistrelay: (_, more) => more('-whitelist=127.0.0.1').net.whitelist?.[0]?.permissions.relay,
  rpcwhitelistdefault: ({ rpc }) => rpc.whitelistDefault,
  walletbroadcast: ({ wallet }) => wallet.walletBroadcast,
  blockfilterindex: ({ indexes }) => indexes.filters,
};

function textOf(value: unknown): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

const messageOf = (text: string): string | RegExp => (text.startsWith('/') && text.endsWith('/') ? new RegExp(text.slice(1, -1)) : text);

for (const version of ['default', '31'] as const) {
  for (const [name, option] of Object.entries(options)) {
    t.test(`accepts -${name} as Core does, with -compat=${version}`, async (t) => {
      const flag = flagByName.get(name);
      if (flag === undefined) {
        t.fail('is an option of adit');
        return;
      }
      const isSwitch = option.type === 'bool';
      for (const value of isSwitch ? ['', '0', '1'] : (option.takes ?? []))
        t.doesNotThrow(() => load(version, option, `-${name}=${value}`), `takes '${value}'`);
      for (const [value, message] of Object.entries(option.refuses ?? {}))
        t.throws(() => load(version, option, `-${name}=${value}`), { message: messageOf(message) }, `refuses '${value}'`);
      for (const [argument, refusal] of [
        [`-${name}`, option.refusesElision],
        [`-no${name}`, option.refusesNegation],
      ] as const) {
        if (refusal !== undefined) t.throws(() => load(version, option, argument), { message: refusal }, argument);
        else if (isSwitch) t.doesNotThrow(() => load(version, option, argument), argument);
      }
      if (flag.effect === 'none') {
        t.ok(option.hidden || docs.includes(`\`-${name}\``), 'stands among the options without effect');
        return;
      }
      if (option.default === undefined) return;
      const row = optionRows.get(name);
      const given =
        derived[name]?.(load(version, option), (more) => load(version, option, more)) ??
        (row && defaultText(row, COMPATS[version])) ??
        false;
      t.equal(textOf(given) !== option.default, option.differs === true, `default ${textOf(given)}, in Core ${option.default}`);
      if (option.differs) t.ok(docs.includes(`\`-${name}\``), 'the other default is documented');
    });
  }
}
