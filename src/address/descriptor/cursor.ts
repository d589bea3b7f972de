// Cutting expressions off a descriptor's text. Core: util/spanparsing.cpp (0.21), script/parsing.cpp (later).

/** What is left of the text. */
export interface RemainingText {
  text: string;
}

/** Cuts off one expression: up to a comma or closing bracket that is not inside brackets of its own. */
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

/** Cuts off a fixed text; false when the rest does not begin with it. */
export function takeText(text: string, rest: RemainingText): boolean {
  if (!rest.text.startsWith(text)) return false;
  rest.text = rest.text.slice(text.length);
  return true;
}

/** An expression that is a call, as name and what is between its brackets; null when it is none. */
export function splitCall(expression: string): { name: string; inner: string } | null {
  const open = expression.indexOf('(');
  if (open < 1 || !expression.endsWith(')')) return null;
  return { name: expression.slice(0, open), inner: expression.slice(open + 1, -1) };
}

const PLAIN_NUMBER = /^[0-9]+$/;
const MAX_DIGITS = 100;
const MAX_UINT32 = 0xffff_ffff;

/** A 32-bit unsigned number, or null. @param allowPlus Core 0.21 takes one leading plus */
export function parseUint32(text: string, allowPlus: boolean): number | null {
  const digits = allowPlus && text.startsWith('+') ? text.slice(1) : text;
  if (digits.length > MAX_DIGITS || !PLAIN_NUMBER.test(digits)) return null;
  const value = Number(digits);
  return value > MAX_UINT32 ? null : value;
}
