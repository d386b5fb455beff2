/** Reads a visitor's values for the form's fields; other fields are ignored. */
import { parseMailbox } from '../../ground/address.ts'
import { limits } from '../../contract/limits.ts'
import type { FieldType } from '../../contract/field-types.ts'
import { fits } from '../audience/fields/field-values.ts'
import type { TypedAsk } from './typed-asks.ts'

/** A hidden field that humans do not see and programs fill in. */
export const trapField = 'website'

/** The last ones: the type of the field, which the value does not fit. */
export type FieldProblem = 'address' | 'length' | 'characters' | Exclude<FieldType, 'text'>

export interface ReadSignUp {
  /** Lower-cased. */
  email: string
  firstName: string | null
  lastName: string | null
  fields: Record<string, string>
}

export type SignUpProblems = ReadonlyMap<string, FieldProblem>

export function readSignUp(
  asks: TypedAsk[],
  typed: ReadonlyMap<string, string>,
): ReadSignUp | { problems: SignUpProblems } {
  const problems = new Map<string, FieldProblem>()
  const mailbox = parseMailbox((typed.get('email') ?? '').trim())
  if ('rule' in mailbox || mailbox.name !== null || mailbox.key.length > limits.addressMax)
    problems.set('email', 'address')
  const values = new Map<string, string>()
  for (const { field, typed: type } of asks) {
    const text = asStored((typed.get(field) ?? '').trim(), type)
    const problem = checkText(
      text,
      field.startsWith('fields.') ? limits.fieldValueMax : limits.subscriberNameMax,
    )
    if (problem) problems.set(field, problem)
    else if (text === '') continue
    else if (type && type.type !== 'text' && !fits(type, text)) problems.set(field, type.type)
    else values.set(field, text)
  }
  if ('rule' in mailbox || problems.size > 0) return { problems }
  const custom = [...values].flatMap(([field, text]) =>
    field.startsWith('fields.') ? [[field.slice(7), text]] : [],
  )
  return {
    email: mailbox.key,
    firstName: values.get('firstName') ?? null,
    lastName: values.get('lastName') ?? null,
    fields: Object.fromEntries(custom),
  }
}

/** Most of our languages write a decimal comma. Before three digits it may part thousands. */
const asStored = (text: string, type: TypedAsk['typed']): string =>
  type?.type === 'number' && /^-?\d+,(?!\d{3}$)\d+$/.test(text) ? text.replace(',', '.') : text

function checkText(text: string, lengthMax: number): FieldProblem | null {
  if (/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)) return 'characters'
  return [...text].length > lengthMax ? 'length' : null
}
