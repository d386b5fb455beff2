/** Lists the faults that a TypeScript source can be given, each as a place and the faulty text. */
import { parseAst } from 'rolldown/parseAst'

/**
 * `entry` adds a return before the place; `statement` leaves its text out; `expression` replaces
 * its text.
 */
export type Form = 'entry' | 'statement' | 'expression'

export interface Mutation {
  operator: string
  form: Form
  start: number
  end: number
  /** The faulty text of an expression; empty for the other forms. */
  text: string
}

interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

type Edit = Pick<Mutation, 'start' | 'end' | 'text'>

const opposite: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '&&': '||',
  '||': '&&',
  asc: 'desc',
  desc: 'asc',
}

export function parses(source: string): boolean {
  try {
    parseAst(source, { lang: 'ts' })
    return true
  } catch {
    return false
  }
}

export function mutationsOf(source: string): Mutation[] {
  const nodes = nodesOf(asNode(parseAst(source, { lang: 'ts' })))
  const text = ({ start, end }: Node): string => source.slice(start, end)
  const words = [...new Set(nodes.map(({ node }) => node.value).filter(isWord))]
  // An expression in parentheses at the start of a line would be the arguments of a call on the
  // line above it.
  const lineStarts = new Set(
    nodes.flatMap(({ node }) => (node.type === 'ExpressionStatement' ? [node.start] : [])),
  )
  const rules: Record<string, (node: Node, parent: Node) => Mutation[]> = {
    IfStatement: (node) => negated(asNode(node.test)),
    ConditionalExpression: (node) => negated(asNode(node.test)),
    BinaryExpression: (node) => swapped('comparison', node),
    LogicalExpression: (node) => swapped('and/or', node),
    Literal: (node, parent) => (isKey(node, parent) ? [] : literal(node)),
    ExpressionStatement: (node) => (isCall(asNode(node.expression)) ? [statement(node)] : []),
    TaggedTemplateExpression: (node) =>
      /^(?:sql|part|fragment)$/.test(text(asNode(node.tag))) ? statementText(node) : [],
    ArrowFunctionExpression: (node) => [emptied(asNode(node.body))],
    FunctionDeclaration: (node) => (isNode(node.body) ? [emptied(node.body)] : []),
    FunctionExpression: (node, parent) =>
      isNode(node.body) && parent.kind !== 'constructor' && parent.kind !== 'set'
        ? [emptied(node.body)]
        : [],
  }
  const replaced = (operator: string, { start, end }: Node, faulty: string): Mutation[] =>
    lineStarts.has(start) ? [] : [{ operator, form: 'expression', start, end, text: faulty }]
  const statement = ({ start, end }: Node): Mutation => ({
    operator: 'no call',
    form: 'statement',
    start,
    end,
    text: '',
  })
  const negated = (test: Node): Mutation[] =>
    test.type === 'BinaryExpression' && String(test.operator) in opposite
      ? []
      : replaced('negated', test, `!(${text(test)})`)
  const swapped = (operator: string, node: Node): Mutation[] => {
    const other = opposite[String(node.operator)]
    if (other === undefined) return []
    return replaced(
      operator,
      node,
      `(${text(asNode(node.left))}) ${other} (${text(asNode(node.right))})`,
    )
  }
  const literal = (node: Node): Mutation[] => {
    if (typeof node.value === 'number') return replaced('number', node, String(node.value + 1))
    if (typeof node.value === 'boolean') return replaced('boolean', node, String(!node.value))
    if (!isWord(node.value)) return []
    const other = words[(words.indexOf(node.value) + 1) % words.length]
    return replaced('word', node, `'${other === node.value ? `${other}_other` : other}'`)
  }
  const emptied = ({ type, start, end }: Node): Mutation =>
    type === 'BlockStatement'
      ? { operator: 'empty', form: 'entry', start: start + 1, end: start + 1, text: '' }
      : { operator: 'empty', form: 'expression', start, end, text: 'undefined' }
  const statementText = (node: Node): Mutation[] =>
    editsOfStatement(source, node).flatMap(({ start, end, text: faulty }) =>
      replaced('sql', node, source.slice(node.start, start) + faulty + source.slice(end, node.end)),
    )
  return nodes.flatMap(({ node, parent }) => rules[node.type]?.(node, parent) ?? [])
}

/**
 * A comparison, a direction, a lock, a limit, a condition behind `and`: what a statement can lose
 * without being refused.
 */
function editsOfStatement(source: string, { start, quasi }: Node): Edit[] {
  let text = '§'.repeat(asNode(quasi).end - start)
  for (const element of listOf(asNode(quasi).quasis)) {
    const at = element.start + 1 - start
    const { raw } = element.value as { raw: string }
    text = text.slice(0, at) + raw + text.slice(at + raw.length)
  }
  const edits = (pattern: RegExp, faulty: (words: string) => string): Edit[] =>
    [...text.matchAll(pattern)].map(({ 0: words, index }) => {
      const at = { start: start + index, end: start + index + words.length }
      return { ...at, text: faulty(source.slice(at.start, at.end)) }
    })
  const other = (word: string): string => opposite[word] ?? word
  return [
    ...edits(/(?<= )[<>]=?(?= )/g, other),
    ...edits(/\b(?:asc|desc)\b/g, other),
    ...edits(
      / for (?:no key )?(?:update|share)(?: of [\w, ]+?)?(?: skip locked| nowait)?\b/g,
      () => '',
    ),
    ...edits(/\blimit (?:§+|\d+)/g, (words) => `${words} + 1`),
    ...[...text.matchAll(/\band\b/g)].flatMap(({ index }) => conditionAt(text, index, start)),
  ]
}

const clauses =
  /^(?:and|or|order by|group by|having|limit|offset|returning|for|union|window|on|join|left|cross|then|when|else|end|as)\b/

function conditionAt(text: string, index: number, start: number): Edit[] {
  if (/\bbetween\b(?:(?!\band\b).)*$/s.test(text.slice(0, index))) return []
  let depth = 0
  for (let at = index + 3; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')') depth--
    const ends =
      depth < 0 || (depth === 0 && (/[,;]/.test(text[at] ?? '') || startsClause(text, at)))
    if (ends) return [{ start: start + index, end: start + at, text: '' }]
  }
  return [{ start: start + index, end: start + text.length - 1, text: '' }]
}

const startsClause = (text: string, at: number): boolean =>
  /\s/.test(text[at - 1] ?? '') && clauses.test(text.slice(at, at + 10))

/** Every node that runs, with the node around it; types do not. */
function nodesOf(node: Node, parent = node): { node: Node; parent: Node }[] {
  if (
    /^(?:Import|ExportAll)Declaration$/.test(node.type) ||
    (node.type === 'ExportNamedDeclaration' && node.source)
  )
    return []
  if (/^TS(?:As|Satisfies|NonNull)Expression$/.test(node.type))
    return nodesOf(asNode(node.expression), parent)
  if (node.type.startsWith('TS')) return []
  const inside = Object.values(node).flatMap((value) =>
    Array.isArray(value) ? listOf(value) : isNode(value) ? [value] : [],
  )
  return [{ node, parent }, ...inside.flatMap((child) => nodesOf(child, node))]
}

const isKey = (node: Node, parent: Node): boolean => parent.key === node && parent.computed !== true

const isCall = (node: Node): boolean =>
  node.type === 'AwaitExpression'
    ? isCall(asNode(node.argument))
    : node.type === 'CallExpression' && asNode(node.callee).type !== 'Super'

/** One of a closed set, such as a status; sentences are not. */
const isWord = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z]\w*$/.test(value)

const listOf = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'start' in value

function asNode(value: unknown): Node {
  if (!isNode(value)) throw new Error('The parser answered something else than a node')
  return value
}
