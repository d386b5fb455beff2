/** Adds to the fields of a form how their values are read: visitors get an input of that type. */
import type { TypedField } from '../../contract/field-types.ts'
import type { Database } from '../../database/client/database.ts'
import { typedFieldsAmong } from '../../db/audience/subscriber-fields.ts'
import type { FormAsk } from '../../db/forms/sign-up-forms.ts'

/** `typed` is absent where any text fits. */
export interface TypedAsk extends FormAsk {
  typed?: TypedField | undefined
}

const prefix = 'fields.'

/** Each of the forms with the types of its fields. */
export async function withTypes<Form extends { asks: FormAsk[] }>(
  db: Database,
  workspaceId: number,
  forms: readonly Form[],
): Promise<(Form & { asks: TypedAsk[] })[]> {
  const keys = forms.flatMap(({ asks }) => asks.map(({ field }) => keyOf(field)))
  const known = keys.some((key) => key !== '') ? await typedFieldsAmong(db, workspaceId, keys) : []
  const types = new Map(known.map((field) => [field.key, field]))
  return forms.map((form) => ({
    ...form,
    asks: form.asks.map((ask) => ({ ...ask, typed: types.get(keyOf(ask.field)) })),
  }))
}

/** Empty for a name. */
const keyOf = (field: string): string =>
  field.startsWith(prefix) ? field.slice(prefix.length) : ''
