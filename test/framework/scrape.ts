// Reads a daemon's metrics, and waits until one has a value: how tests know what a daemon is doing without sleeping a
// while.
import http from 'node:http';
import { until } from './until.js';

/** The exposition text. @param port -metricsport */
export function scrape(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: '/metrics', agent: false }, (reply) => {
        let body = '';
        reply.setEncoding('utf8');
        reply.on('data', (chunk: string) => {
          body += chunk;
        });
        reply.on('end', () => resolve(body));
      })
      .on('error', reject);
  });
}

/** A sample by its name and labels as they are written; NaN when there is none. */
export function figure(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
}

/** Waits until a metric has a value. @throws when it doesn't get there */
export async function metricBecomes(port: number, name: string, wanted: number): Promise<void> {
  let last = Number.NaN;
  const there = async (): Promise<boolean> => {
    last = figure(await scrape(port), name);
    return last === wanted;
  };
  await until(name, there, 10).catch(() => {
    throw new Error(`${name} stayed at ${last} and did not become ${wanted}`);
  });
}
