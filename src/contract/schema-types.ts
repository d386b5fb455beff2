/** Writes the contract's schemas as TypeScript, for programs that have no use for the schemas themselves. */
import type { JsonSchema } from './json-schema.ts'

/** The declarations of all schemas with a name that were met, each written once. */
export class Declarations {
  readonly #written = new Map<string, string>()

  /** The type of a value that the schema admits. */
  typeOf(schema: JsonSchema): string {
    const { $id } = schema
    if ($id === undefined) return this.#inline(schema)
    if (!this.#written.has($id)) {
      // Held open first: a schema may lead back to itself.
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

  /** In the order of their names. */
  toString(): string {
    return [...this.#written]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, text]) => text)
      .join('\n')
  }

  #inline(schema: JsonSchema, indent = ''): string {
    if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'")
    if (schema.enum) return schema.enum.map((word) => `'${word}'`).join(' | ')
    if (schema.anyOf) return [...new Set(schema.anyOf.map((inner) => this.#member(inner, indent)))].join(' | ')
    if (schema.items) {
      const entry = this.#member(schema.items, indent)
      return entry.includes(' | ') ? `(${entry})[]` : `${entry}[]`
    }
    if (schema.properties && Object.keys(schema.properties).length > 0) return this.#object(schema, indent)
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
