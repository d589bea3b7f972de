// Mutants of a compiled file: each a small change that a test should notice. Conditions, bounds, constants, operators,
// removed calls.
import { parse } from 'acorn';

/** One change of a source text. */
export interface Mutant {
  /** Replaced part, as offsets into the text. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&': '|',
  '|': '&',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
};
/** Calls whose absence is nobody's business but the operator's. */
const LOGGING = /\b(log|logger|#log)\.(debug|info|warn|error)$/;

/** Every mutant of a module, in the order of the text. */
export function mutantsOf(source: string): Mutant[] {
  const found: Mutant[] = [];
  const textOf = ({ start, end }: Node): string => source.slice(start, end);
  const replace = (node: Node, text: string): void => {
    found.push({ start: node.start, end: node.end, text });
  };

  const operator = (left: Node, right: Node, sign: string): void => {
    const other = OPERATORS[sign];
    if (other === undefined) return;
    // Sums of texts make no sense as differences.
    if ((sign === '+' || sign === '+=') && [left, right].some(isText)) return;
    const at = source.indexOf(sign, left.end);
    if (at >= 0 && at < right.start) found.push({ start: at, end: at + sign.length, text: other });
  };

  const condition = (test: Node, values: readonly string[]): void => {
    for (const value of values) if (textOf(test) !== value) replace(test, value);
  };

  const literal = (node: Node): void => {
    const { value, bigint } = node;
    if (typeof bigint === 'string') replace(node, `${BigInt(bigint) + 1n}n`);
    else if (typeof value === 'number' && Number.isSafeInteger(value + 1)) replace(node, String(value + 1));
    else if (typeof value === 'boolean') replace(node, String(!value));
    else if (typeof value === 'string' && /^\S+$/.test(value)) replace(node, JSON.stringify(`${value}!`));
  };

  const visit = (node: Node): void => {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'ImportExpression':
      // Texts of errors are for people.
      case 'ThrowStatement':
        return;
      case 'BinaryExpression':
      case 'LogicalExpression':
      case 'AssignmentExpression':
        operator(node.left as Node, node.right as Node, node.operator as string);
        break;
      case 'IfStatement':
      case 'ConditionalExpression':
        condition(node.test as Node, ['true', 'false']);
        break;
      case 'WhileStatement':
        condition(node.test as Node, ['false']);
        break;
      case 'UnaryExpression':
        if (node.operator === '!') replace(node, textOf(node.argument as Node));
        break;
      case 'Literal':
        literal(node);
        return;
      case 'ExpressionStatement': {
        const { expression } = node as unknown as { expression: Node };
        const call = (expression.type === 'AwaitExpression' ? expression.argument : expression) as Node;
        if (call.type !== 'CallExpression') break;
        const callee = call.callee as Node;
        if (LOGGING.test(textOf(callee))) return;
        if (callee.type !== 'Super') replace(node, ';');
        break;
      }
    }
    for (const [key, child] of Object.entries(node)) {
      const isName = (key === 'key' || key === 'property') && node.computed !== true;
      if (isName || (node.type === 'ExportNamedDeclaration' && key === 'source')) continue;
      for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one);
    }
  };
  visit(parse(source, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Node);
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The text with one change. */
export function mutated(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function isText(node: Node): boolean {
  if (node.type === 'TemplateLiteral') return true;
  if (node.type === 'BinaryExpression') return isText(node.left as Node) || isText(node.right as Node);
  return node.type === 'Literal' && typeof node.value === 'string';
}
