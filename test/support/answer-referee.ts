/**
 * Holds answers of the API against its OpenAPI description with another project's validator of JSON
 * Schema (Ajv).
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { openApi } from '../../src/contract/openapi.ts'
import { at, keysAt } from './json.ts'

export const description = openApi('http://127.0.0.1:3025')

export interface GivenAnswer {
  status: number
  headers: Headers
  body: unknown
}

/**
 * The violations in the answer to a call such as `GET /api/v1/emails/x`: a status that the
 * operation does not declare, a header that is missing or of another shape, a body that breaks the
 * schema or holds fields that it does not name. None where no operation has this method and path.
 */
export function violationsOf(line: string, answer: GivenAnswer): string[] {
  const where = findOperation(line)
  if (!where) return []
  const declared = [...where, 'responses', String(answer.status)]
  if (at(description, ...declared) === undefined)
    return [`${line}: status ${answer.status} is not declared`]
  const headers = keysAt(description, ...declared, 'headers').flatMap((name) => {
    const value = answer.headers.get(name)
    if (value === null)
      return at(description, ...declared, 'headers', name, 'required') === true
        ? [`${name} is missing`]
        : []
    const isNumber = at(description, ...declared, 'headers', name, 'schema', 'type') === 'integer'
    return complaints(
      `header ${name}`,
      at(description, ...declared, 'headers', name, 'schema'),
      isNumber ? Number(value) : value,
    )
  })
  const schema = at(description, ...declared, 'content', 'application/json', 'schema')
  return [...headers, ...complaints(declared.join(' '), schema, answer.body)].map(
    (problem) => `${line}: ${problem}`,
  )
}

const paths = keysAt(description, 'paths')
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  // `/emails/batch` before `/emails/{id}`.
  .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)

function findOperation(line: string): string[] | null {
  const [method = '', address = ''] = line.split(' ')
  const [route = ''] = address.split('?')
  const match = paths.find(({ pattern }) => pattern.test(route))
  const where = ['paths', match?.path ?? '', method.toLowerCase()]
  return at(description, ...where) === undefined ? null : where
}

/** Of Ajv, strict: a keyword or a format that it does not know is an error of the description. */
export const ajv = addFormats.default(
  new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    allowUnionTypes: true,
  }),
)
ajv.addVocabulary(['example'])
const schemas = at(description, 'components', 'schemas')
for (const [$id, $defs] of Object.entries({ open: schemas, closed: closed(schemas) }))
  ajv.addSchema(within($id, { $id: `${$id}:`, $defs }))

/**
 * Every object holds what its schema names and nothing else. Parts of an `allOf` name it together,
 * and stay as they are.
 */
function closed(part: unknown, isPartOfAll = false): unknown {
  if (Array.isArray(part)) return part.map((inner) => closed(inner, isPartOfAll))
  if (typeof part !== 'object' || part === null) return part
  const inner = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, closed(value, name === 'allOf')]),
  )
  const isClosable =
    !isPartOfAll &&
    'properties' in part &&
    !('additionalProperties' in part) &&
    'type' in part &&
    part.type === 'object'
  return isClosable ? { ...inner, additionalProperties: false } : inner
}

const compiled = new Map<string, ValidateFunction>()

function complaints(where: string, schema: unknown, value: unknown): string[] {
  const check = compiled.get(where) ?? compileIn('closed', closed(schema))
  compiled.set(where, check)
  if (check(value)) return []
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${where}${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/**
 * Compiles a schema of the description, with its components as they are written, or `closed` to
 * what they do not name.
 */
export const compileIn = (base: 'open' | 'closed', schema: unknown): ValidateFunction =>
  ajv.compile(within(base, schema))

/** With references to components led to one of the two sets of them. */
function within(base: string, schema: unknown): object {
  const whole: object = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${base}:#/$defs/`),
  )
  return whole
}
