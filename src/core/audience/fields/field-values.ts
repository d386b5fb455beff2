/**
 * Checks values of custom fields against their types, at every entry point: the API, the pages,
 * forms and imports.
 */
import { fieldPatterns, type FieldType, type TypedField } from '../../../contract/field-types.ts'
import { typedFieldsAmong } from '../../../db/audience/subscriber-fields.ts'
import type { CallContext } from '../../context.ts'
import { foldText } from '../../search-text.ts'
import { shapeError, type ShapeProblem } from '../../input/shape-error.ts'

const patterns = {
  number: new RegExp(fieldPatterns.number),
  date: new RegExp(fieldPatterns.date),
  boolean: new RegExp(fieldPatterns.boolean),
}

/** Whether a text that is not empty is a value of this type. */
export function fits({ type, choices }: Omit<TypedField, 'key'>, text: string): boolean {
  if (type === 'text') return true
  return type === 'choice' ? choices.includes(text) : patterns[type].test(text)
}

/** Choices that a refusal names. */
const namedMax = 10

/** Names the field and its type; the sentence says how a value is written. */
const misfit = ({
  key,
  type,
  choices,
}: TypedField & { type: keyof typeof rules }): ShapeProblem => ({
  path: `fields.${key}`,
  rule: rules[type],
  expected: type,
  ...(type === 'choice' && { allowed: choices.slice(0, namedMax) }),
})

const rules = {
  number: 'field_number',
  date: 'field_date',
  boolean: 'field_boolean',
  choice: 'field_choice',
} as const satisfies Record<Exclude<FieldType, 'text'>, string>

/** Checks a value of one field, as `checkFieldValues`; `path` is where the caller gave it. */
export function checkFieldValue(field: TypedField, value: string, path: string): void {
  if (value === '' || !isTyped(field) || fits(field, value)) return
  throw shapeError([{ ...misfit(field), path }])
}

/**
 * Checks the given values; an empty one clears its field, and fits. Throws `validation_error` with
 * field and type.
 */
export async function checkFieldValues(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  values: Record<string, string>,
): Promise<void> {
  const keys = Object.keys(values).filter((key) => values[key] !== '')
  if (keys.length > 0) refuseMisfits(await typedFieldsAmong(db, workspaceId, keys), values)
}

/** Checks values as `checkFieldValues`, by the types of fields that the caller has read. */
export function refuseMisfits(types: TypedField[], values: Record<string, string>): void {
  const problems = types.flatMap((field) => {
    const value = values[field.key] ?? ''
    return value !== '' && isTyped(field) && !fits(field, value) ? [misfit(field)] : []
  })
  if (problems.length > 0) throw shapeError(problems)
}

const isTyped = (field: TypedField): field is TypedField & { type: keyof typeof rules } =>
  field.type !== 'text'

const yes = new Set(['true', 'yes', 'y', 'oui', 'o', 'vrai', 'v', 'on', '1'])
const no = new Set(['false', 'no', 'n', 'non', 'faux', 'f', 'off', '0'])

/** The meaning of a word of a spreadsheet, in French or English. Null means neither. */
export function booleanOf(text: string): 'true' | 'false' | null {
  const word = foldText(text)
  return yes.has(word) ? 'true' : no.has(word) ? 'false' : null
}

/**
 * Reads a text of a file as a value of a field: words for yes and no, and choices without regard to
 * case and accents, become what the field holds. Null if it does not fit.
 */
export function readFileValue(field: TypedField, text: string): string | null {
  if (fits(field, text)) return text
  if (field.type === 'boolean') return booleanOf(text)
  if (field.type !== 'choice') return null
  const folded = foldText(text)
  return field.choices.find((choice) => foldText(choice) === folded) ?? null
}
