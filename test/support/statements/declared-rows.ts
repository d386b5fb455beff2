/**
 * Reads from the source which row type each call of a statement names, as the fields that the
 * checker of TypeScript finds in it.
 */
import { join, relative } from 'node:path'
import * as is from 'typescript/unstable/ast/is'
import type { CallExpression, Node, SourceFile } from 'typescript/unstable/ast'
import { API, TypeFlags, type Checker, type Type } from 'typescript/unstable/sync'

const root = join(import.meta.dirname, '../../..')

export interface DeclaredField {
  /** Empty for the only column of a call that reads a value. */
  name: string
  /** `string`, `number[]`, `Date`, `any`; several of a union. */
  kinds: string[]
  isNullable: boolean
}

/** A call that runs a statement. */
export interface DeclaredRows {
  /** `src/db/…:12` */
  at: string
  /** Null if the call reads no columns, or says nothing of them. */
  fields: DeclaredField[] | null
}

export interface Sources {
  /** The calls by the templates of their statements. */
  calls: Map<string, DeclaredRows[]>
  /** The place of each template. */
  templates: Map<string, string>
}

/** The key of a template: its texts. */
export const keyOf = (parts: readonly string[]): string => parts.join('\0')

const rowReaders = new Set(['rows', 'row', 'onlyRow'])
const valueReaders = new Set(['column', 'value', 'onlyValue'])

export function readSources(): Sources {
  const api = new API({ cwd: root })
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] })
    const [project] = snapshot.getProjects()
    if (!project) throw new Error('No project')
    const sources: Sources = { calls: new Map(), templates: new Map() }
    for (const name of project.program.getSourceFileNames()) {
      const file = /\/src\/(?:db|database)\//.test(name) && project.program.getSourceFile(name)
      if (file) readFile(file, project.checker, sources)
    }
    return sources
  } finally {
    api.close()
  }
}

function readFile(file: SourceFile, checker: Checker, { calls, templates }: Sources): void {
  const positionOf = (node: Node): string =>
    `${relative(root, file.fileName)}:${file.text.slice(0, node.getStart(file)).split('\n').length}`
  const declared = declarationsOf(file)
  walk(file, (node) => {
    const key = templateOf(node)
    if (key !== null) templates.set(key, positionOf(node))
    if (!is.isCallExpression(node) || !is.isPropertyAccessExpression(node.expression)) return
    const method = node.expression.name.text
    const [statement] = node.arguments
    // `plain` makes a statement without a template.
    if (
      !statement ||
      /^plain\b/.test(statement.getText(file)) ||
      !(rowReaders.has(method) || valueReaders.has(method))
    )
      return
    const rows: DeclaredRows = { at: positionOf(node), fields: fieldsOf(node, method, checker) }
    for (const template of templatesIn(statement, declared)) {
      const others = calls.get(template)
      if (others) others.push(rows)
      else calls.set(template, [rows])
    }
  })
}

/** `visit` answers true at a node below which nothing is looked at. */
function walk(node: Node, request: (node: Node) => boolean | void): void {
  if (request(node) === true) return
  node.forEachChild((child) => walk(child, request))
}

/** Null if it is no statement. */
function templateOf(node: Node): string | null {
  if (!is.isTaggedTemplateExpression(node) || !is.isIdentifier(node.tag)) return null
  if (node.tag.text !== 'sql') return null
  const { template } = node
  if (is.isNoSubstitutionTemplateLiteral(template)) return keyOf([template.text])
  const spans = template.templateSpans.map(({ literal }) => literal.text)
  return keyOf([template.head.text, ...spans])
}

/** The functions and constants of a file by their names. */
function declarationsOf(file: SourceFile): Map<string, Node> {
  const byKey = new Map<string, Node>()
  walk(file, (node) => {
    if (is.isFunctionDeclaration(node) && node.name) byKey.set(node.name.text, node)
    if (is.isVariableDeclaration(node) && is.isIdentifier(node.name) && node.initializer)
      byKey.set(node.name.text, node.initializer)
  })
  return byKey
}

/** The statements that an argument may be: written there, or made by what it names. */
function templatesIn(
  argument: Node,
  declared: Map<string, Node>,
  known: ReadonlySet<Node> = new Set(),
): string[] {
  const matches: string[] = []
  walk(argument, (node) => {
    const key = templateOf(node)
    if (key !== null) {
      matches.push(key)
      return true
    }
    const named = is.isIdentifier(node) ? declared.get(node.text) : undefined
    if (named && named !== argument && !known.has(named))
      matches.push(...templatesIn(named, declared, new Set([...known, named])))
    return false
  })
  return matches
}

function fieldsOf(call: CallExpression, method: string, checker: Checker): DeclaredField[] | null {
  const promise = checker.getTypeAtLocation(call)
  const answer = promise?.isTypeReference() ? checker.getTypeArguments(promise)[0] : undefined
  if (!answer) return null
  const isList = method === 'rows' || method === 'column'
  const isMaybe = method === 'row' || method === 'value'
  const element = isList && answer.isTypeReference() ? checker.getTypeArguments(answer)[0] : answer
  const row = isMaybe && method === 'row' && element ? checker.getNonNullableType(element) : element
  if (!row || isOf(row, TypeFlags.Unknown | TypeFlags.Any)) return null
  if (valueReaders.has(method)) {
    const field = fieldOf('', row, checker)
    return [{ ...field, isNullable: isMaybe || field.isNullable }]
  }
  return rowFields(row, checker)
}

/** Of a union, the fields of each kind of row. Null if a row may have any. */
function rowFields(row: Type, checker: Checker): DeclaredField[] | null {
  const fields = new Map<string, DeclaredField>()
  for (const item of row.isUnionType() ? row.getTypes() : [row]) {
    if (checker.getIndexInfosOfType(item).length > 0) return null
    for (const property of checker.getPropertiesOfType(item)) {
      const type = checker.getTypeOfSymbol(property)
      if (!type) return null
      const field = fieldOf(property.name, type, checker)
      const other = fields.get(field.name)
      fields.set(field.name, {
        name: field.name,
        kinds: [...new Set([...(other?.kinds ?? []), ...field.kinds])],
        isNullable: field.isNullable || (other?.isNullable ?? false),
      })
    }
  }
  return [...fields.values()]
}

const isOf = ({ flags }: Type, expected: TypeFlags): boolean => (flags & expected) !== 0

function fieldOf(name: string, type: Type, checker: Checker): DeclaredField {
  const all = type.isUnionType() ? type.getTypes() : [type]
  const kinds = all.map((each) => kindOf(each, checker))
  return {
    name,
    kinds: [...new Set(kinds.filter((kind) => kind !== 'null'))],
    isNullable: kinds.includes('null'),
  }
}

function kindOf(type: Type, checker: Checker): string {
  if (isOf(type, TypeFlags.Null | TypeFlags.Undefined)) return 'null'
  if (isOf(type, TypeFlags.StringLike)) return 'string'
  if (isOf(type, TypeFlags.NumberLike)) return 'number'
  if (isOf(type, TypeFlags.BooleanLike)) return 'boolean'
  if (type.isIntersectionType()) return kindOf(type.getTypes()[0] ?? type, checker)
  if (type.isTypeReference() && checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type)
    const { kinds = [] } = element ? fieldOf('', element, checker) : {}
    return `${kinds.length === 1 ? kinds[0] : 'any'}[]`
  }
  const name = type.getSymbol()?.name
  return name === 'Date' || name === 'Buffer' ? name : 'any'
}
