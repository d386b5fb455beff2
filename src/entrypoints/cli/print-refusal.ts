/**
 * Prints a refusal of the core for the operator: the text of the code, or of the reason of a
 * conflict, and the rules' sentences or the details, in one line.
 */
import { caseText } from '../../contract/error-cases.ts'
import { errorKinds, type ApiError, type ErrorDetails } from '../../contract/errors.ts'
import { hintText, isHint } from '../../contract/hints.ts'
import type { RefusalCode } from './refusal.ts'

export function printRefusal({ code, details }: ApiError): { code: RefusalCode; message: string } {
  const { errors, hint, ...rest } = details
  const problems = Array.isArray(errors)
    ? errors.map((problem: ErrorDetails) => describeDetails(problem))
    : [describeDetails(rest)]
  const about = (code === 'conflict' ? caseText(code, rest, 'en') : null) ?? errorKinds[code].en
  const sentences = [about, ...problems, isHint(hint) ? hintText(hint, 'en') : '']
  return { code: codeOf(code), message: sentences.filter((text) => text !== '').join(' ') }
}

const codeOf = (code: ApiError['code']): RefusalCode =>
  code === 'not_found' ? 'not_found' : code === 'conflict' ? 'conflict' : 'refused'

/** The sentence of a broken rule; `remaining: 10; needed: 20` of anything else. */
function describeDetails(details: ErrorDetails): string {
  if (typeof details['rule'] === 'string') return caseText('validation_error', details, 'en') ?? ''
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${describeValue(value)}`)
    .join('; ')
}

const describeValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(describeValue).join(', ') || 'none'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)
