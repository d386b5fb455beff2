/** Prints a refusal of the core for the operator: the rule's text, and the field and the reason in one line. */
import { errorKinds, type ApiError, type ErrorDetails } from '../../contract/errors.ts'
import { hintText, isHint } from '../../contract/hints.ts'
import type { RefusalCode } from './refusal.ts'

export function printRefusal({ code, details }: ApiError): { code: RefusalCode; message: string } {
  const { errors, hint, ...rest } = details
  const problems = Array.isArray(errors)
    ? errors.map((problem: ErrorDetails) => describeDetails(problem))
    : [describeDetails(rest)]
  const sentences = [errorKinds[code].en, ...problems, isHint(hint) ? hintText(hint, 'en') : '']
  return { code: codeOf(code), message: sentences.filter((text) => text !== '').join(' ') }
}

const codeOf = (code: ApiError['code']): RefusalCode =>
  code === 'not_found' ? 'not_found' : code === 'conflict' ? 'conflict' : 'refused'

/** `content.3.href: url` of a shape; `remaining: 10; needed: 20` of anything else. */
function describeDetails({ path, rule, ...rest }: ErrorDetails): string {
  const place = [path, rule].filter((text) => typeof text === 'string' && text !== '').join(': ')
  const others = Object.entries(rest).map(([name, value]) => `${name}: ${describeValue(value)}`)
  return [place, ...others].filter((text) => text !== '').join('; ')
}

const describeValue = (value: unknown): string =>
  Array.isArray(value) ? value.map(describeValue).join(', ') || 'none' : typeof value === 'string' ? value : JSON.stringify(value)
