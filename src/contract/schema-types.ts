/**
 * Writes the contract's schemas as TypeScript types, for programs that do not need the schemas
 * themselves.
 */
import type { JsonSchema } from './json-schema.ts'

/** Collects the declarations of all named schemas, each once. */
export class Declarations {
  readonly #written = new Map<string, string>()

  /** Returns the type of a value that the schema accepts. */
  typeOf(schema: JsonSchema): string {
    const { $id } = schema
    if ($id === undefined) return this.#inline(schema)
    if (!this.#written.has($id)) {
      // Reserved first: a schema may refer to itself.
      this.#written.set($id, '')
      this.declare($id, schema)
    }
    return $id
  }

  /** Gives a name to a schema that has none of its own. */
  declare(name: string, { description, ...schema }: JsonSchema): void {
    const opening = description === undefined ? '' : comment(description, '')
    const text =
      schema.properties && Object.keys(schema.properties).length > 0
        ? `interface ${name} ${this.#object(schema, '')}`
        : `type ${name} = ${this.#inline(schema)}`
    this.#written.set(name, `${opening}export ${text}\n`)
  }

  /** Sorted by name. */
  toString(): string {
    return [...this.#written]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, text]) => text)
      .join('\n')
  }

  #inline(schema: JsonSchema, indent = ''): string {
    if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'")
    if (schema.enum) return schema.enum.map((word) => `'${word}'`).join(' | ')
    if (schema.anyOf)
      return [...new Set(schema.anyOf.map((inner) => this.#member(inner, indent)))].join(' | ')
    if (schema.items) {
      const entry = this.#member(schema.items, indent)
      return entry.includes(' | ') ? `(${entry})[]` : `${entry}[]`
    }
    if (schema.properties && Object.keys(schema.properties).length > 0)
      return this.#object(schema, indent)
    if (typeof schema.additionalProperties === 'object')
      return `Record<string, ${this.#member(schema.additionalProperties, indent)}>`
    if (schema.type === 'object') return 'Record<string, unknown>'
    return plainTypes[schema.type ?? ''] ?? 'unknown'
  }

  #member(schema: JsonSchema, indent: string): string {
    return schema.$id === undefined ? this.#inline(schema, indent) : this.typeOf(schema)
  }

  #object({ properties = {}, required = [] }: JsonSchema, indent: string): string {
    const inner = `${indent}  `
    const fields = Object.entries(properties).map(([name, schema]) => {
      const type = this.#member(schema, inner)
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
      const mark = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`
      return `${comment(schema.description ?? '', inner)}${inner}${key}${mark}\n`
    })
    return `{\n${fields.join('')}${indent}}`
  }
}

const plainTypes: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** A comment on a line of its own, or nothing. */
export const comment = (text: string, indent: string): string =>
  text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`
