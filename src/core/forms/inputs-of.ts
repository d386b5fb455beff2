/** Lists the inputs of a form, for its page and its embed: the address, then the form's fields. */
import { limits } from '../../contract/limits.ts'
import type { FormAsk, SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import type { FormTexts } from './form-texts.ts'

export interface FormInput {
  name: string
  label: string
  type: 'email' | 'text'
  /** The browser's autofill category (HTML 4.10.18.7.1). */
  autocomplete: string
  /** In characters. */
  max: number
  required: boolean
}

export function inputsOf(form: Pick<SignUpFormRow, 'asks'>, t: FormTexts): FormInput[] {
  const email = {
    name: 'email',
    label: t.email,
    type: 'email',
    autocomplete: 'email',
    max: limits.addressMax,
    required: true,
  } as const
  return [email, ...form.asks.map((ask) => inputOf(ask, t))]
}

function inputOf({ field, label }: FormAsk, t: FormTexts): FormInput {
  const rest = { name: field, type: 'text', required: false } as const
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
  return { ...rest, label: label ?? field, autocomplete: 'on', max: limits.fieldValueMax }
}
