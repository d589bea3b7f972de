// Takes expressions from the beginning of a descriptor's text. Core: util/spanparsing.cpp (0.21), script/parsing.cpp
// (later).

/** Text that is not parsed yet. */
export interface RemainingText {
  text: string;
}

/**
 * Takes one expression from the text: everything up to the first comma or closing bracket that is not inside brackets
 * of the expression.
 */
export function takeExpression(rest: RemainingText): string {
  const { text } = rest;
  let level = 0;
  let at = 0;
  for (; at < text.length; at++) {
    const c = text[at];
    if (c === '(' || c === '{') level++;
    else if (level > 0 && (c === ')' || c === '}')) level--;
    else if (level === 0 && (c === ')' || c === '}' || c === ',')) break;
  }
  rest.text = text.slice(at);
  return text.slice(0, at);
}

/** Takes a fixed text. @returns false if the remaining text does not begin with it */
export function takeText(text: string, rest: RemainingText): boolean {
  if (!rest.text.startsWith(text)) return false;
  rest.text = rest.text.slice(text.length);
  return true;
}

/** Splits a call into its name and the text between its brackets; null if it is not a call. */
export function splitCall(expression: string): { name: string; inner: string } | null {
  const open = expression.indexOf('(');
  if (open < 1 || !expression.endsWith(')')) return null;
  return { name: expression.slice(0, open), inner: expression.slice(open + 1, -1) };
}

const PLAIN_NUMBER = /^[0-9]+$/;
const MAX_DIGITS = 100;
const MAX_UINT32 = 0xffff_ffff;

/** Parses a 32-bit unsigned number, or returns null. @param allowPlus Core 0.21 accepts one leading plus */
export function parseUint32(text: string, allowPlus: boolean): number | null {
  const digits = allowPlus && text.startsWith('+') ? text.slice(1) : text;
  if (digits.length > MAX_DIGITS || !PLAIN_NUMBER.test(digits)) return null;
  const value = Number(digits);
  return value > MAX_UINT32 ? null : value;
}
