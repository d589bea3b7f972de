// Tests the client's side of Tor's control port, against a simulated Tor. functional/p2p-tor uses the real program.
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import type { Logger } from '../../../src/log/logger.js';
import { TorControl, type TorControlOptions } from '../../../src/net/address/tor-control.js';
import type { Endpoint } from '../../../src/net/peer/peer-connection.js';
import { keyValues } from '../../../src/net/wire/key-values.js';
import { addressText, type NetAddress } from '../../../src/net/wire/net-address.js';
import { until } from '../../framework/until.js';

const SERVICE = 'pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd';
const COOKIE = Buffer.from('0123456789abcdef0123456789abcdef', 'latin1');

interface FakeTor {
  readonly control: { readonly host: string; readonly port: number };
  /** Commands in the order they arrived. */
  readonly told: string[];
  readonly sockets: net.Socket[];
}

/** Simulates a Tor. It answers a command with the lines of the first row whose pattern matches. */
async function fakeTor(t: Test, rows: readonly (readonly [RegExp, (match: RegExpExecArray) => readonly string[]])[]): Promise<FakeTor> {
  const received: string[] = [];
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n')) {
        const line = text.slice(0, at);
        text = text.slice(at + 2);
        received.push(line);
        for (const [pattern, answer] of rows) {
          const match = pattern.exec(line);
          if (match === null) continue;
          // Send the reply in two parts that are not divided at a line end.
          const reply = `${answer(match).join('\r\n')}\r\n`;
          socket.write(reply.slice(0, 5));
          setImmediate(() => socket.write(reply.slice(5)));
          break;
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { control: { host: '127.0.0.1', port: (server.address() as net.AddressInfo).port }, told: received, sockets };
}

const auth = (methods: string, cookieFile = ''): readonly [RegExp, () => readonly string[]] => [
  /^PROTOCOLINFO 1$/,
  () => [
    '250-PROTOCOLINFO 1',
    `250-AUTH METHODS=${methods}${cookieFile === '' ? '' : ` COOKIEFILE="${cookieFile}"`}`,
    '250-VERSION Tor="0.4.8.10"',
    '250 OK',
  ],
];
const accepted: readonly [RegExp, () => readonly string[]] = [/^AUTHENTICATE/, () => ['250 OK']];
const socks: readonly [RegExp, () => readonly string[]] = [
  /^GETINFO/,
  () => ['250-net/listeners/socks="unix:/run/tor/socks" "10.0.0.1:9999" "127.0.0.1:9150"', '250 OK'],
];
const service = (...more: string[]): readonly [RegExp, () => readonly string[]] => [
  /^ADD_ONION/,
  () => [`250-ServiceID=${SERVICE}`, ...more, '250 OK'],
];

function begin(t: Test, options: Partial<TorControlOptions> & Pick<TorControlOptions, 'control'>) {
  const services: (string | null)[] = [];
  const proxies: Endpoint[] = [];
  const lines: string[] = [];
  const addLine = (line: string) => lines.push(line);
  const log = {
    info: addLine,
    warn: addLine,
    error: addLine,
    debug: (_category: string, line: string) => lines.push(line),
  } as unknown as Logger;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-tor-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true }));
  const keyFile = path.join(folder, 'onion_v3_private_key');
  const tor = new TorControl(
    { password: '', keyFile, servicePort: 8333, target: '127.0.0.1:8334', ...options },
    {
      service: (address: NetAddress | null) => services.push(address === null ? null : addressText(address)),
      proxy: (proxy) => proxies.push(proxy),
    },
    log,
  );
  t.teardown(() => tor.stop());
  tor.start();
  return { tor, services, proxies, lines, keyFile };
}

t.test('parses lines of keys and values, and rejects malformed ones', async (t) => {
  const of = (line: string) => Object.fromEntries(keyValues(line));
  t.same(of('METHODS=COOKIE,SAFECOOKIE COOKIEFILE="/home/x/.tor/control_auth_cookie"'), {
    METHODS: 'COOKIE,SAFECOOKIE',
    COOKIEFILE: '/home/x/.tor/control_auth_cookie',
  });
  t.same(of(String.raw`A="\a \"b\" \\ \n\101\7" B`), { A: 'a "b" \\ \nA\x07', B: '' });
  t.same(of('PrivateKey=ED25519-V3:abc=='), { PrivateKey: 'ED25519-V3:abc==' }, 'values contain = as they like');
  t.same(of('  A=  B=c  '), { A: '', B: 'c' });
  for (const line of ['A="never ends', 'A=b C="x"D="y"', String.raw`A="\"`]) t.same(of(line), {}, `malformed: ${line}`);
  t.equal(of(`A="${'x'.repeat(1 << 20)}"`).A.length, 1 << 20);
  t.same(of('A="b"'.repeat(1 << 15)), {}, 'ends at the first that is malformed');
});

t.test('creates an onion service, and restores it with the same key after a disconnection', async (t) => {
  const fake = await fakeTor(t, [auth('NULL'), accepted, socks, service('250-PrivateKey=ED25519-V3:secret==')]);
  const { services, proxies, keyFile, tor } = begin(t, { control: fake.control });
  await until('Tor', () => services.length === 1);
  t.same(services, [`${SERVICE}.onion:8333`]);
  t.same(proxies, [{ host: '127.0.0.1', port: 9150 }], 'the one on this machine');
  t.same(fake.told, [
    'PROTOCOLINFO 1',
    'AUTHENTICATE',
    'GETINFO net/listeners/socks',
    'ADD_ONION NEW:ED25519-V3 PoWDefensesEnabled=1 Port=8333,127.0.0.1:8334',
  ]);
  t.equal(fs.readFileSync(keyFile, 'latin1'), 'ED25519-V3:secret==');
  t.equal(fs.statSync(keyFile).mode & 0o777, 0o600);
  // If the connection ends, the service ends too. The next connection creates it with the same key.
  fake.sockets[0].destroy();
  await until('Tor', () => services.length === 3);
  t.same(services.slice(1), [null, `${SERVICE}.onion:8333`]);
  t.equal(fake.told.at(-1), 'ADD_ONION ED25519-V3:secret== PoWDefensesEnabled=1 Port=8333,127.0.0.1:8334');
  tor.stop();
});

t.test('falls back for an old Tor without proof-of-work defences or a SOCKS listener reply', async (t) => {
  const fake = await fakeTor(t, [
    auth('NULL'),
    accepted,
    [/^GETINFO/, () => ['250+net/listeners/socks=', '250 no end', '.', '250 OK']],
    [/PoW/, () => ['512 Bad arguments to ADD_ONION']],
    service('250-PrivateKey=ED25519-V3:x'),
  ]);
  const { services, proxies } = begin(t, { control: fake.control });
  await until('Tor', () => services.length === 1);
  t.equal(fake.told.at(-1), 'ADD_ONION NEW:ED25519-V3 Port=8333,127.0.0.1:8334');
  t.same(proxies, [{ host: '127.0.0.1', port: 9050 }]);
});

t.test('authenticates by cookie file, and stops if Tor does not know the cookie', async (t) => {
  const file = path.join(t.testdir({}), 'control auth "cookie"');
  fs.writeFileSync(file, COOKIE);
  const mac = (key: string, nonce: Buffer, mine: Buffer): string =>
    createHmac('sha256', key).update(COOKIE).update(nonce).update(mine).digest('hex');
  const serverNonce = Buffer.alloc(32, 7);
  for (const knows of [true, false]) {
    let expected = '';
    const fake = await fakeTor(t, [
      auth('COOKIE,SAFECOOKIE,HASHEDPASSWORD', file.replaceAll('"', '\\"')),
      [
        /^AUTHCHALLENGE SAFECOOKIE ([0-9a-f]{64})$/,
        ([, hex]) => {
          const nonce = Buffer.from(hex, 'hex');
          expected = mac('Tor safe cookie authentication controller-to-server hash', nonce, serverNonce);
          const server = mac('Tor safe cookie authentication server-to-controller hash', nonce, knows ? serverNonce : nonce);
          return [`250 AUTHCHALLENGE SERVERHASH=${server} SERVERNONCE=${serverNonce.toString('hex')}`];
        },
      ],
      [/^AUTHENTICATE (.*)$/, ([, proof]) => [proof === expected ? '250 OK' : '515 Authentication failed']],
      socks,
      service('250-PrivateKey=ED25519-V3:x'),
    ]);
    const { services, lines } = begin(t, { control: fake.control });
    if (knows) await until('Tor', () => services.length === 1);
    else {
      await until('Tor', () => lines.some((line) => line.includes('does not know the authentication cookie')));
      t.notOk(
        fake.told.some((line) => line.startsWith('AUTHENTICATE')),
        'no credentials are sent',
      );
    }
    for (const text of [...fake.told, ...lines]) t.notOk(text.includes(COOKIE.toString('hex')) || text.includes(COOKIE.toString('latin1')));
  }
});

t.test('authenticates by password without logging it', async (t) => {
  const fake = await fakeTor(t, [auth('HASHEDPASSWORD'), accepted, socks, service()]);
  const { services, lines } = begin(t, { control: fake.control, password: 'a "b" \\' });
  await until('Tor', () => services.length === 1);
  t.equal(fake.told[1], String.raw`AUTHENTICATE "a \"b\" \\"`);
  t.notOk(lines.some((line) => line.includes('a "b"')));
});

t.test('logs why no onion service is available', async (t) => {
  const huge = 'x'.repeat(200_000);
  const rows: [string, Parameters<typeof fakeTor>[1], string, Partial<TorControlOptions>?][] = [
    ['a password is missing', [auth('HASHEDPASSWORD')], 'no password provided with -torpassword'],
    ['a password is not asked for', [auth('NULL')], 'HASHEDPASSWORD authentication is not available', { password: 'x' }],
    ['a wrong password', [auth('HASHEDPASSWORD'), [/^AUTH/, () => ['515 no']]], 'Authentication failed', { password: 'x' }],
    ['nothing in common', [auth('MAGIC')], 'No supported authentication method'],
    ['a cookie that is not there', [auth('SAFECOOKIE', '/does/not/exist')], 'could not be opened'],
    ['a cookie that is something else', [auth('SAFECOOKIE', '/etc/passwd')], 'is not exactly 32 bytes'],
    ['no Tor', [[/./, () => ['500 what?']]], 'Requesting protocol info failed'],
    ['Tor is too old', [auth('NULL'), accepted, socks, [/^ADD/, () => ['510 Unrecognized command']]], 'probably should upgrade Tor'],
    ['it has no address', [auth('NULL'), accepted, socks, [/^ADD/, () => ['250-ServiceID=me', '250 OK']]], 'Error parsing ADD_ONION'],
    ['no end', [[/./, () => [huge]]], 'too long'],
    ['lines without end', [[/./, () => Array.from({ length: 2_000 }, () => '250-x')]], 'too long'],
  ];
  for (const [name, answers, text, options] of rows) {
    const fake = await fakeTor(t, answers);
    const { services, lines, tor } = begin(t, { control: fake.control, ...options });
    await until('Tor', () => lines.some((line) => line.includes(text)));
    t.same(services, [], name);
    tor.stop();
  }
});
