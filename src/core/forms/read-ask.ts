/**
 * Parses one field of a form besides the address: `firstName`, `lastName`, or `city=Your city` for
 * a custom field.
 */
import type { FormAsk } from '../../db/forms/sign-up-forms.ts'

const labelMax = 120

/**
 * Returns null for an invalid field. Without a label, a custom field shows its key, and a name
 * shows our text.
 */
export function readAsk(text: string): FormAsk | null {
  const [, key = '', value = ''] = /^\s*([A-Za-z0-9_]+)\s*(?:=(.*))?$/s.exec(text) ?? []
  const label = value.trim() || null
  if (label !== null && ([...label].length > labelMax || /\p{Cc}/u.test(label))) return null
  if (key === 'firstName' || key === 'lastName') return { field: key, label }
  return /^[a-z][a-z0-9_]{0,59}$/.test(key) ? { field: `fields.${key}`, label: label ?? key } : null
}
