// Reads a daemon's metrics, and waits until a metric has a value. With this, tests know what a daemon is doing without
// sleeping.
import http from 'node:http';
import { until } from './until.js';

/** Returns the text of all metrics. @param port -metricsport */
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

/** Returns the value of a sample. @param name name and labels as in the text @returns NaN if there is no such sample */
export function figure(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
}

/** Waits until a metric has a value. @throws if it does not get that value in time */
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
