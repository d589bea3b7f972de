// Builds the text of `aditd --help` from the table of options.
import { allFlags, type Flag } from './flags.js';
import { version } from './version.js';

const usage: readonly string[] = [
  `adit daemon version ${version}`,
  '',
  'Usage:  aditd [options]                     Start the node',
  '',
  'The options and the configuration file are those of Bitcoin Core.',
];

/**
 * Returns the help: all options by category, wrapped at 80 columns. Core's options without effect are listed by name at
 * the end.
 */
export function helpText(): string {
  const out = describeFlags(usage, allFlags);
  const silent = allFlags.filter((flag) => flag.effect === 'none').map((flag) => `-${flag.name}`);
  out.push(
    '',
    'Options of Bitcoin Core that are accepted and have no effect:',
    '',
    ...wrap(silent.join(' '), 76).map((line) => `  ${line}`),
    '',
  );
  return out.join('\n');
}

/** Returns the lines of a help page: the opening, then options by category, wrapped at 80 columns. */
export function describeFlags(opening: readonly string[], flags: readonly Flag[]): string[] {
  const out = [...opening];
  let category = '';
  for (const flag of flags) {
    if (flag.help === undefined) continue;
    if (flag.category !== category) out.push('', `${(category = flag.category)}:`);
    const value = flag.kind === 'bool' ? '' : `=<${flag.kind === 'int' ? 'n' : flag.kind === 'amount' ? 'amt' : 'text'}>`;
    out.push('', `  -${flag.name}${value}`, ...wrap(flag.help, 73).map((line) => `       ${line}`));
  }
  return out;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines;
}
