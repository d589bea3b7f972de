// Finds violations of docs/style.md that a program can recognise, in comments, names and pages. Each function gets the
// text of one file and returns one line for each finding.
import fs from 'node:fs';
import path from 'node:path';

/** One comment: the line on which it begins, and its text without comment signs. */
export interface Comment {
  line: number;
  text: string;
}

/**
 * Returns the comments of a TypeScript source: a block, consecutive lines of `//`, or a remark behind code. It reads
 * line by line, so two slashes after a space within a string also count as a comment.
 */
export function commentsOf(source: string): Comment[] {
  const comments: Comment[] = [];
  let open: 'block' | 'lines' | null = null;
  source.split('\n').forEach((raw, at) => {
    const line = raw.trim();
    const add = (text: string) => {
      const clean = text.replace(/\*\/.*$/, '').trim();
      if (open === null) comments.push({ line: at + 1, text: clean });
      else comments[comments.length - 1].text = `${comments[comments.length - 1].text} ${clean}`.trim();
    };
    if (open === 'block') {
      add(line.replace(/^\*(?!\/) ?/, ''));
      if (line.includes('*/')) open = null;
    } else if (line.startsWith('/*')) {
      open = null;
      add(line.replace(/^\/\*+/, ''));
      open = line.includes('*/') ? null : 'block';
    } else if (line.startsWith('//')) {
      add(line.replace(/^\/\/+/, ''));
      open = 'lines';
    } else {
      open = null;
      const remark = /\s(?:\/\/|\/\*+)\s(.*)$/.exec(raw);
      if (remark !== null) add(remark[1]);
    }
  });
  return comments;
}

const OPENING = /^(?:What|Whether|Of|It|Such|That|Those)\b/;

/** Comments that begin with a word from which a reader cannot tell the subject. */
export function badOpenings(source: string): string[] {
  return commentsOf(source)
    .filter(({ text }) => OPENING.test(text))
    .map(({ line, text }) => `${line}: ${text.slice(0, 80)}`);
}

// Words of the old private voice that have few legitimate uses. The option -rehearse keeps its name.
const PRIVATE_WORDS =
  /\b(?:breath(?:e[ds]?|ing|s)?|foresee[ns]?|foresaw|reckon(?:ed|s|ing)?|spoilt|strangers?|anew|mend(?:s|ed|ing)?|desks?|rooms?|told|hears?|heard|beside|fate|at hand|(?:a|an|each|every|its|own|same|this|one) turn|(?<!-)rehears(?:e[ds]?|als?|ing))\b(?!=)/gi;

/** Private words in comments. Text between backticks names code and does not count. */
export function privateWords(source: string): string[] {
  return commentsOf(source).flatMap(({ line, text }) =>
    [...text.replace(/`[^`]*`/g, '').matchAll(PRIVATE_WORDS)].map((match) => `${line}: ${match[0]}`),
  );
}

const PRIVATE_PARTS = new Set(
  'breath breathe breathed foresee foreseen reckon reckoned spoilt stranger strangers desk desks fate fates told beside hears heard mend room rooms'.split(
    ' ',
  ),
);
/** Function names that consist of a verb alone. */
const BARE_VERBS = new Set(['take', 'forget', 'tell', 'look', 'ask']);

/** Returns the words of a name: `callRoomBytes`, `CallRoom` and `CALL_ROOM` have the word "room". */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .split(/[_$]+/)
    .map((word) => word.toLowerCase());
}

const DECLARED = /\b(?:function\*?|class|interface|type|enum|const|let)\s+([A-Za-z_$][\w$]*)/g;
const FUNCTION = /\bfunction\*?\s+([A-Za-z_$][\w$]*)/g;
/** A member at the beginning of its line: `private readonly name: ...`, `async name(...) {`, `name(...): type;`. */
const MEMBER =
  /^\s*(?:(?:public|private|protected|readonly|static|async|override|abstract|get|set|declare|\*) ?)*#?([A-Za-z_$][\w$]*)[?!]?(?:[:(<]| =)/;
/** A method: parentheses after its name, and then a body or a type. */
const METHOD = /^\s*(?:(?:public|private|protected|static|async|override|abstract) )*#?([a-z][\w$]*)(?:<[^(]*>)?\(.*(?:\{|\): [^(]*;)$/;

/** Declared names with a private word, and functions whose name is a verb alone. Line based. */
export function privateNames(source: string): string[] {
  return source.split('\n').flatMap((line, at) => {
    if (/^\s*(?:\/\/|\/?\*[/ *]|return\b|if\b|for\b|while\b|switch\b|throw\b|await\b)/.test(line)) return [];
    const names = [...line.matchAll(DECLARED)].map((match) => match[1]);
    const functions = [...line.matchAll(FUNCTION)].map((match) => match[1]);
    const member = MEMBER.exec(line);
    if (member !== null) names.push(member[1]);
    const method = METHOD.exec(line);
    if (method !== null) functions.push(method[1]);
    const isPrivate = (name: string) => wordsOf(name).some((word) => PRIVATE_PARTS.has(word));
    const found = new Set([...names.filter(isPrivate), ...functions.filter((name) => BARE_VERBS.has(name))]);
    return [...found].map((name) => `${at + 1}: ${name}`);
  });
}

/** Returns the anchor that GitHub and others make from a heading. */
const slug = (heading: string) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** A page without its fenced blocks, which hold commands and drawings. */
const withoutFences = (page: string) => page.replace(/^```[\s\S]*?^```/gm, '');

/** Links of the page `file` (relative to `root`) to files or headings that do not exist. */
export function brokenLinks(root: string, file: string): string[] {
  const text = withoutFences(fs.readFileSync(path.join(root, file), 'utf8')).replace(/`[^`\n]*`/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]).filter((target) => !/^[a-z]+:/.test(target));
  return targets.filter((target) => {
    const [where, anchor] = target.split('#');
    const full = where === '' ? path.join(root, file) : path.resolve(root, path.dirname(file), where);
    if (!fs.existsSync(full)) return true;
    if (anchor === undefined || !full.endsWith('.md')) return false;
    const headings = [...withoutFences(fs.readFileSync(full, 'utf8')).matchAll(/^#+ +(.*)$/gm)].map((match) => slug(match[1]));
    return !headings.includes(anchor);
  });
}

/** Pages of docs that a text names by their path from the root and that do not exist. */
export function missingPages(root: string, text: string): string[] {
  const named = [...text.matchAll(/(?<![\w./-])docs\/[\w./-]+\.md\b/g)].map((match) => match[0]);
  return named.filter((page) => !fs.existsSync(path.join(root, page)));
}

/**
 * Source files that a page names and that do not exist. `files` are all files of the repository. A page of a module names
 * its own files by the end of their path, or any file by its path from `src` or from the root; other pages name any file
 * by the end of its path.
 */
export function missingFiles(files: readonly string[], page: string, text: string): string[] {
  const folder = page.startsWith('src/') ? `${page.split('/').slice(0, 2).join('/')}/` : '';
  const near = files.filter((file) => file.startsWith(folder) || file.endsWith('.test.ts'));
  const named = [...text.matchAll(/[\w.*-]+(?:\/[\w.*-]+)*\.(?:ts|mjs|cjs)\b/g)].map((match) => match[0].replace(/^(?:\.\.?\/)+/, ''));
  return named.filter((name) => {
    if (/\*|^[A-Z]+\.|NAME|^build\//.test(name)) return false;
    return !near.some((file) => file.endsWith(`/${name}`)) && !files.includes(`src/${name}`) && !files.includes(name);
  });
}
