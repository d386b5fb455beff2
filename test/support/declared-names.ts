/** The names that a file declares, private ones and those of tests too. */
import { parseAst } from 'rolldown/parseAst'
import type { SourceFile } from './architecture-rules.ts'

type Node = Record<string, unknown> & { type: string }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** Variables, parameters, functions, classes, types, and members of types and classes. */
export function declaredNames({ path, text }: SourceFile): string[] {
  const names = new Set<string>()
  collect(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node, names)
  return [...names]
}

function collect(node: Node, names: Set<string>): void {
  for (const pattern of patternsOf(node)) addPattern(pattern, names)
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) collect(child, names)
}

const declarations =
  /^(?:Function|Class|TSInterface|TSTypeAlias)(?:Declaration|Expression)$|^VariableDeclarator$/
const members = /^(?:TSPropertySignature|TSMethodSignature|PropertyDefinition|MethodDefinition)$/
const functions = /^(?:ArrowFunctionExpression|Function\w+|TSFunctionType|TSMethodSignature)$/

/** What a node declares, as identifiers and patterns of them. */
function patternsOf(node: Node): unknown[] {
  return [
    ...(declarations.test(node.type) ? [node['id']] : []),
    ...(members.test(node.type) && node['computed'] !== true ? [node['key']] : []),
    ...(functions.test(node.type) && Array.isArray(node['params']) ? node['params'] : []),
    ...(node.type === 'CatchClause' ? [node['param']] : []),
  ]
}

function addPattern(pattern: unknown, names: Set<string>): void {
  if (!isNode(pattern)) return
  if (pattern.type === 'Identifier') names.add(String(pattern['name']))
  const inner = [pattern['left'], pattern['argument'], pattern['parameter']]
  if (pattern.type === 'ObjectPattern')
    for (const property of pattern['properties'] as Node[])
      inner.push(property.type === 'Property' ? property['value'] : property)
  if (pattern.type === 'ArrayPattern') inner.push(...(pattern['elements'] as unknown[]))
  for (const next of inner) addPattern(next, names)
}
