/** Validates the type that a field is to have, with the choices of a `choice`. */
import type { FieldType, TypedField } from '../../../contract/field-types.ts'
import { audienceLimits } from '../../../contract/workspace/audience-limits.ts'
import { shapeError } from '../../input/shape-error.ts'
import { mustBeLine } from '../../input/validate-words.ts'

/** Only a `choice` has choices: at least one, each once. Throws `validation_error`. */
export function readFieldType({
  type = 'text',
  choices = [],
}: {
  type?: FieldType | undefined
  choices?: string[] | undefined
}): Omit<TypedField, 'key'> {
  if (type !== 'choice') {
    if (choices.length > 0) throw shapeError([{ path: 'choices', rule: 'field_has_choices' }])
    return { type, choices: [] }
  }
  if (choices.length === 0) throw shapeError([{ path: 'choices', rule: 'minItems', limit: 1 }])
  const max = audienceLimits.fieldChoiceMax
  const read = choices.map((choice, index) => mustBeLine(choice, { path: `choices.${index}`, max }))
  const again = read.findIndex((choice, index) => read.indexOf(choice) < index)
  if (again !== -1) throw shapeError([{ path: `choices.${again}`, rule: 'twice' }])
  return { type, choices: read }
}
