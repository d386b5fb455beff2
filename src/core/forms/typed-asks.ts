/**
 * Adds to a form what its visitors get: how the values of its fields are read, and its topics with
 * their names.
 */
import type { TypedField } from '../../contract/field-types.ts'
import type { Database } from '../../database/client/database.ts'
import { typedFieldsAmong } from '../../db/audience/subscriber-fields.ts'
import { topicsOfContact, type TopicOfContact } from '../../db/audience/topic-choices.ts'
import type { FormAsk } from '../../db/forms/sign-up-forms.ts'

/** `typed` is absent where any text fits. */
export interface TypedAsk extends FormAsk {
  typed?: TypedField | undefined
}

/** The questions of a form beside the address. */
export interface FormAsks {
  asks: TypedAsk[]
  /**
   * In the order of the form. A box starts without a tick: consent is not presumed (CJEU C-673/17).
   */
  offeredTopics: TopicOfContact[]
}

const prefix = 'fields.'

/** Each of the forms with the types of its fields and with its topics. */
export async function withTypes<Form extends { asks: FormAsk[]; topics: string[] }>(
  db: Database,
  workspaceId: number,
  forms: readonly Form[],
): Promise<(Form & FormAsks)[]> {
  const keys = forms.flatMap(({ asks }) => asks.map(({ field }) => keyOf(field)))
  const known = keys.some((key) => key !== '') ? await typedFieldsAmong(db, workspaceId, keys) : []
  const types = new Map(known.map((field) => [field.key, field]))
  const asksTopics = forms.some(({ topics }) => topics.length > 0)
  const topics = asksTopics ? await topicsOfContact(db, workspaceId, null) : []
  return forms.map((form) => ({
    ...form,
    asks: form.asks.map((ask) => ({ ...ask, typed: types.get(keyOf(ask.field)) })),
    offeredTopics: form.topics.flatMap((id) =>
      topics.flatMap((topic) => (topic.id === id ? [{ ...topic, subscribed: false }] : [])),
    ),
  }))
}

/** Empty for a name. */
const keyOf = (field: string): string =>
  field.startsWith(prefix) ? field.slice(prefix.length) : ''
