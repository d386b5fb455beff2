/**
 * Statements as tagged templates: each is prepared by its text, and no value is ever a part of a
 * text.
 */
import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { hasTexts, part, textsWithin, valuesOf } from './fragment.ts'

/**
 * One prepared statement with its values. Built by `sql` only, so no value is ever part of a text.
 */
export interface Statement {
  name: string
  text: string
  values: unknown[]
  /** Longest wait for the answer, in milliseconds, when it differs from the pool's. */
  query_timeout?: number
}

/**
 * A statement: each `${value}` becomes a parameter, but for fragments; the text alone decides the
 * prepared statement's name.
 */
export function sql(parts: TemplateStringsArray, ...inserted: unknown[]): Statement {
  const known = knownStatements.get(parts)
  // Most statements hold the same fragments in every call, so that their text need not be built
  // again.
  if (known !== undefined && hasTexts(inserted, known.texts))
    return { name: known.name, text: known.text, values: valuesOf(inserted) }
  const { texts, values } = part(parts, ...inserted)
  const text = texts.reduce((before, after, index) => `${before}$${index}${after}`)
  const name =
    statementNames.get(text) ?? createHash('sha1').update(text).digest('base64url').slice(0, 20)
  if (statementNames.size >= namesMax) statementNames.clear()
  statementNames.set(text, name)
  newTexts.publish({ parts, text, values } satisfies NewText)
  knownStatements.set(parts, {
    name,
    text,
    texts: inserted.map(textsWithin),
  })
  return { name, text, values }
}

/**
 * The statement without a prepared one: for texts that depend on what a user wrote, of which there
 * is no end.
 */
export const unprepared = (statement: Statement): Statement => ({ ...statement, name: '' })

/** What a place that makes statements published: its template, and the first values of the text. */
export interface NewText {
  parts: readonly string[]
  text: string
  values: readonly unknown[]
}

/** Each text as it is made. The tests compare it with the database; nothing else listens. */
export const newTexts = channel('facteur:statement')

const knownStatements = new WeakMap<
  TemplateStringsArray,
  { name: string; text: string; texts: (readonly string[] | null)[] }
>()

/**
 * By text: there are hardly more than places that make statements, but for those of `unprepared`,
 * for which it begins again.
 */
const statementNames = new Map<string, string>()
const namesMax = 5_000
