// The RPC port over TLS with a certificate made for the test; skipped without the openssl program.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import t from 'tap';
import { cliFile, Daemon, daemonFile } from '../framework/daemon.js';
import { PATIENCE_MS } from '../framework/until.js';

const missing = spawnSync('openssl', ['version']).status !== 0;

t.test('serves calls over TLS with -rpctlscert', { skip: missing && 'needs the openssl program' }, async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-tls-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const made = spawnSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem'.split(
      ' ',
    ),
    { cwd: dir, encoding: 'utf8' },
  );
  t.equal(made.status, 0, made.stderr);
  const ca = fs.readFileSync(path.join(dir, 'cert.pem'));

  const refused = (...args: string[]): string => {
    const done = spawnSync(process.execPath, [daemonFile, '-regtest', `-datadir=${dir}`, '-printtoconsole=0', ...args], {
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });
    return `${done.status} ${done.stderr}`;
  };
  t.match(refused('-rpctlscert=cert.pem'), /^1 Error: -rpctlscert and -rpctlskey must be set together/);
  t.match(refused('-rpctlscert=cert.pem', '-rpctlskey=gone.pem'), /^1 Error: -rpctlscert and -rpctlskey cannot be used: /);
  t.match(refused('-rpctlscert=key.pem', '-rpctlskey=key.pem'), /^1 Error: -rpctlscert and -rpctlskey cannot be used: /);

  for (const fronts of [1, 2]) {
    const node = await Daemon.over(dir, '-rpcuser=u', '-rpcpassword=p', `-fronts=${fronts}`, '-rpctlscert=cert.pem', '-rpctlskey=key.pem');
    t.teardown(() => node.remove());
    node.useTls(ca, 'u:p');
    await node.up();
    const { port } = node;
    const ask = (body: string) => node.post(body);
    for (let i = 0; i < 6; i++) t.equal((await ask('{"method":"getblockcount","id":1}')).body, '{"result":0,"error":null,"id":1}\n');
    const large = await ask(`[${Array(200).fill('{"method":"help","params":["getblocktemplate"],"id":1}').join(',')}]`);
    t.equal(JSON.parse(large.body).length, 200, 'large replies too');
    const protocol = await new Promise((resolve, reject) => {
      const socket = tls.connect({ host: '127.0.0.1', port, ca }, () => {
        resolve(socket.getProtocol());
        socket.destroy();
      });
      socket.on('error', reject);
    });
    t.match(protocol, /^TLSv1\.[23]$/);
    await t.rejects(fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }), 'plain HTTP gets nothing');
    const cli = (...args: string[]): string => {
      const done = spawnSync(
        process.execPath,
        [cliFile, '-regtest', `-datadir=${node.dir}`, `-rpcport=${port}`, '-rpcuser=u', '-rpcpassword=p', ...args],
        { encoding: 'utf8' },
      );
      return `${done.status} ${done.stdout}${done.stderr}`;
    };
    t.equal(cli(`-rpctlsca=${path.join(dir, 'cert.pem')}`, 'getblockcount'), '0 0\n', 'adit-cli');
    t.match(
      cli('-rpctls', 'getblockcount'),
      /^1 error: Could not connect .*(CERT|SELF_SIGNED)[\s\S]*not trusted.*-rpctlsca/,
      'a certificate that is not trusted, and what to do',
    );
    t.equal(cli('-rpctlscert=cert.pem', 'getblockcount'), '0 0\n', "the node's own option");
    t.match(
      cli('-rpctlscert=cert.pem', '-rpcconnect=127.1', 'getblockcount'),
      /^1 error: .*ERR_TLS_CERT_ALTNAME_INVALID[\s\S]*subjectAltName/,
      'a certificate for another host',
    );
    t.match(fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8'), /JSON-RPC over TLS on/);
    node.child?.kill('SIGTERM');
    t.equal((await node.ended()).code, 0);
  }
});
