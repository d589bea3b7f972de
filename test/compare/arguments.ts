// Calls every method of a bitcoind with each value that its description names, and with values of every JSON type, for
// each argument and each member of an options object. Adit gets the same calls. Prints where one of the two reports an
// error and the other none, and where the errors differ.
//
//   npm run compare:arguments -- --bitcoind=PATH [--only=REGEX]
//
// The methods and their arguments come from bitcoind's OpenRPC document. Methods that stop the node, mine, wait, write
// files or change which wallets are loaded get only values of a wrong type. Replies without errors are not compared.
// Exit status 1 when there was any difference.
import { parseArgs } from 'node:util';
import { bitcoindOf } from './chains.js';
import { Differences } from './differences.js';
import { type Call, Nodes, replies } from './nodes.js';

const { values } = parseArgs({ options: { bitcoind: { type: 'string' }, only: { type: 'string', default: '.' } } });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const bitcoind = bitcoindOf(values);

/** The part of a JSON schema that this comparison reads. */
interface Schema {
  readonly type?: string;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
}

interface Param {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly description?: string;
}

interface Method {
  readonly name: string;
  readonly params: readonly Param[];
}

/** Methods that get only values of a wrong type. */
const CHANGING =
  /^(generate.*|waitfor.*|createwallet|loadwallet|restorewallet|unloadwallet|encryptwallet|migratewallet|backupwallet|exportwatchonlywallet|keypoolrefill|dumptxoutset|loadtxoutset|importmempool|savemempool|addnode|addconnection|addpeeraddress|setmocktime|mockscheduler|invalidateblock|reconsiderblock|pruneblockchain|setnetworkactive|rescanblockchain|importdescriptors|walletpassphrase.*|echo.*)$/;
const LEFT_OUT = /^(stop|getopenrpcinfo|help)$/;
const BATCH = 100;
const START_TIME = 1_780_000_000;
const BLOCKS = 101;
const KEY = 'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, 3, -1, 1.5, 4294967296, 1e20, '', '0', '1', 'abc', 'true', '00'.repeat(32), 'zz'.repeat(32)],
  ...[ELSEWHERE, [], ['abc'], [1], [{}], {}, { abc: 1 }],
];

const typesOf = ({ type, oneOf, anyOf }: Schema): string[] => [
  ...(type ? [type] : []),
  ...[...(oneOf ?? []), ...(anyOf ?? [])].flatMap(typesOf),
];
const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/** Returns true if a value certainly has a wrong type. A schema without a type accepts several. */
function isWrong(value: unknown, schema: Schema): boolean {
  const types = typesOf(schema).map((type) => (type === 'integer' ? 'number' : type));
  return types.length > 0 && value !== null && !types.includes(typeOf(value));
}

/** Returns the quoted words of a description, and those of lists such as "unset, economical, conservative". */
function wordsOf(text = ''): string[] {
  const quoted = [...text.matchAll(/["'“]([\w*|-]{2,30})["'”]/g)].map(([, word]) => word!);
  const listed = [...text.matchAll(/(?:[\w-]+, )+[\w-]+/g)].flatMap(([list]) => list!.split(', '));
  const words = [...new Set([...quoted, ...listed])];
  return words.flatMap((word) => [word, word.toUpperCase(), `${word} `]);
}

const nodes = await Nodes.start(bitcoind, '31', [
  '-disablewallet=0',
  '-keypool=5',
  '-fallbackfee=0.0001',
  '-txindex=1',
  '-coinstatsindex=1',
  '-blockfilterindex=1',
  '-listenonion=0',
]);
const { core, adit } = nodes;
const differences = new Differences();
const missing = new Set<string>();
let made = 0;

/** Leaves out help pages, because adit has its own. */
const errorOf = (reply: unknown): string => {
  const { error } = (reply ?? {}) as { error?: unknown };
  return typeof error !== 'string' ? '' : /^-1 .*\n/.test(error) ? '-1 and its help' : error;
};

async function compare(calls: readonly Call[]): Promise<void> {
  const [ofCore, ofAdit] = await Promise.all([replies(core, calls), replies(adit, calls)]);
  for (const [i, call] of calls.entries()) {
    const [a, b] = [errorOf(ofCore[i]), errorOf(ofAdit[i])];
    made++;
    differences.saw(ofCore[i]);
    if (b.startsWith('-32601') && !a.startsWith('-32601')) missing.add(call[0]);
    else if (a !== b)
      differences.add({ what: call[0], step: made, call: JSON.stringify(call), core: a || 'no error', adit: b || 'no error' }, [a, b]);
  }
}

try {
  const checksum = async (desc: string): Promise<string> => `${desc}#${(await core.call('getdescriptorinfo', desc)).checksum}`;
  const imports = await Promise.all(
    [0, 1].map(async (chain) => ({
      desc: await checksum(`wpkh(${KEY}/${chain}/*)`),
      active: true,
      internal: chain === 1,
      timestamp: 'now',
      range: [0, 5],
    })),
  );
  const setup: Call[] = [
    ['setmocktime', START_TIME],
    ['createwallet', 'w', false, true],
    ['importdescriptors', imports],
    ['getnewaddress', 'label'],
  ];
  const [ofCore] = await nodes.both(setup);
  const address = ofCore.at(-1) as string;
  for (const hash of await core.call('generatetoaddress', BLOCKS, address))
    await adit.call('submitblock', await core.call('getblock', hash, 0));
  const blockHash: string = await core.call('getblockhash', 1);
  const { tx } = await core.call('getblock', blockHash);
  const rawTx: string = await core.call('getrawtransaction', tx[0]);
  const psbt: string = await core.call('createpsbt', [{ txid: tx[0], vout: 0 }], [{ [ELSEWHERE]: 1 }]);
  const header: string = await core.call('getblockheader', blockHash, false);
  const hd = imports[0]!.desc;
  /** Valid values for arguments, by their names. */
  const samples: Readonly<Record<string, unknown>> = {
    txid: tx[0],
    txids: [tx[0]],
    blockhash: blockHash,
    hash: blockHash,
    hash_or_height: 1,
    height: 1,
    address,
    label: 'label',
    hexstring: rawTx,
    hexdata: header,
    rawtxs: [rawTx],
    package: [rawTx],
    psbt,
    descriptor: hd,
    inputs: [{ txid: tx[0], vout: 0 }],
    outputs: [{ [ELSEWHERE]: 1 }],
    prevtxs: [],
    amount: 1,
    amounts: { [ELSEWHERE]: 1 },
    vout: 0,
    n: 0,
    message: 'message',
    conf_target: 6,
    nrequired: 1,
    keys: ['03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd'],
    command: 'list',
    action: 'start',
    subnet: '1.2.3.4',
  };
  const sampleOf = ({ name, schema }: Param): unknown => {
    const sample = samples[name];
    if (sample !== undefined) return sample;
    const [type] = typesOf(schema);
    return type === 'number' || type === 'integer' ? 1 : type === 'boolean' ? true : type === 'array' ? [] : type === 'object' ? {} : 'abc';
  };
  const only = new RegExp(values.only);
  const { methods } = (await core.call('getopenrpcinfo')) as { methods: readonly Method[] };
  let calls: Call[] = [];
  for (const { name, params } of methods) {
    if (LEFT_OUT.test(name) || !only.test(name)) continue;
    const needed = params.filter(({ required }) => required).map(sampleOf);
    if (!CHANGING.test(name)) calls.push([name, ...needed]);
    calls.push([name, ...needed, ...params.slice(needed.length).map(() => null), 1]);
    for (const [at, param] of params.entries()) {
      const before = params.slice(0, at).map((one, i) => (i < needed.length ? sampleOf(one) : null));
      const after = needed.slice(at + 1);
      const put = (value: unknown, schema: Schema): void => {
        if (!CHANGING.test(name) || isWrong(value, schema)) calls.push([name, ...before, value, ...after]);
      };
      for (const value of [...VALUES, ...wordsOf(param.description)]) put(value, param.schema);
      const alternatives = [param.schema, ...(param.schema.oneOf ?? [])];
      for (const [member, schema] of alternatives.flatMap(({ properties }) => Object.entries(properties ?? {}))) {
        // A long poll does not return while nothing changes.
        if (member === 'longpollid') continue;
        for (const value of [...VALUES, ...wordsOf(schema.description)])
          if (!CHANGING.test(name) || isWrong(value, schema)) calls.push([name, ...before, { [member]: value }, ...after]);
      }
    }
    process.stderr.write(`${name}: ${calls.length} calls, ${differences.count} differences\n`);
    for (; calls.length > 0; calls = calls.slice(BATCH)) await compare(calls.slice(0, BATCH));
  }
} catch (error) {
  say(`ended after ${made} calls: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
} finally {
  await nodes.end();
}
for (const line of differences.lines(0)) say(line);
say(`methods that adit does not have: ${[...missing].sort().join(', ') || 'none'}`);
say(`${made} calls: ${differences.count} differences`);
if (differences.count > 0) process.exitCode = 1;
