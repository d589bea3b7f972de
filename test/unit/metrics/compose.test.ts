// The compose file names options that aditd has, files that exist, and the Prometheus configuration of the repository.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { flagByName } from '../../../src/config/flags.js';

const folder = path.resolve(import.meta.dirname, '../../../../grafana');
const read = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8');
const compose = read('docker/compose.yml');

t.test('the compose file passes only options that aditd has', (t) => {
  const options = [...compose.matchAll(/^ +- -(\w+)=/gm)].map((match) => match[1]!);
  t.ok(options.includes('metricshost') && options.length >= 5);
  t.same(
    options.filter((name) => !flagByName.has(name)),
    [],
  );
  t.end();
});

t.test('the compose file mounts and builds from paths that exist', (t) => {
  const mounts = [...compose.matchAll(/^ +- (\.[^:\n]*):/gm), ...compose.matchAll(/^ +build: (\S+)$/gm)].map((match) => match[1]!);
  t.equal(mounts.length, 6);
  t.same(
    mounts.filter((mount) => !fs.existsSync(path.join(folder, 'docker', mount))),
    [],
  );
  t.ok(fs.existsSync(path.join(folder, '..', 'Dockerfile')));
  t.end();
});

t.test('the Prometheus configurations differ only in their target', (t) => {
  const rules = (text: string) => text.replace(/^#.*\n/gm, '');
  t.equal(rules(read('docker/prometheus.yml')), rules(read('prometheus/prometheus.yml')).replace('127.0.0.1:9332', 'adit:9332'));
  t.match(compose, /^ {2}adit:$/m, 'the service has the name of the target');
  t.end();
});
