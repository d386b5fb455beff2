/** Lists the inputs of a form, for its page and its embed: the address, then the form's fields. */
import type { FieldType, TypedField } from '../../contract/field-types.ts'
import { limits } from '../../contract/limits.ts'
import type { FormTexts } from './form-texts.ts'
import type { TypedAsk } from './typed-asks.ts'

export interface FormInput {
  name: string
  label: string
  type: 'email' | 'text' | 'number' | 'date'
  /** The browser's autofill category (HTML 4.10.18.7.1). */
  autocomplete: string
  /** In characters. */
  max: number
  required: boolean
  /** The values to choose from, beside none. Null means the visitor types one. */
  options: { value: string; label: string }[] | null
}

export function inputsOf(form: { asks: TypedAsk[] }, t: FormTexts): FormInput[] {
  const email = {
    name: 'email',
    label: t.email,
    type: 'email',
    autocomplete: 'email',
    max: limits.addressMax,
    required: true,
    options: null,
  } as const
  return [email, ...form.asks.map((ask) => inputOf(ask, t))]
}

function inputOf({ field, label, typed }: TypedAsk, t: FormTexts): FormInput {
  const rest = { name: field, type: 'text', required: false, options: null } as const
  if (field === 'firstName')
    return {
      ...rest,
      label: label ?? t.firstName,
      autocomplete: 'given-name',
      max: limits.subscriberNameMax,
    }
  if (field === 'lastName')
    return {
      ...rest,
      label: label ?? t.lastName,
      autocomplete: 'family-name',
      max: limits.subscriberNameMax,
    }
  const own = { label: label ?? field, autocomplete: 'on', max: limits.fieldValueMax }
  if (!typed) return { ...rest, ...own }
  return { ...rest, ...own, type: inputTypeOf(typed.type), options: optionsOf(typed, t) }
}

const inputTypeOf = (type: FieldType): FormInput['type'] =>
  type === 'number' || type === 'date' ? type : 'text'

function optionsOf({ type, choices }: TypedField, t: FormTexts): FormInput['options'] {
  if (type === 'choice') return choices.map((value) => ({ value, label: value }))
  if (type !== 'boolean') return null
  return [
    { value: 'true', label: t.yes },
    { value: 'false', label: t.no },
  ]
}
