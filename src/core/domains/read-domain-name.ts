/** A domain's name as it came in a call. */
import { ApiError } from '../../contract/errors.ts'
import { readDomain } from '../../contract/domain-name.ts'
import { shapeError } from '../input/validate-shape.ts'

/** Of an address: what no domain can be called, no workspace has. */
export function domainOfPath(text: string): string {
  const name = readDomain(text)
  if (typeof name !== 'string') throw new ApiError('not_found')
  return name
}

/** Throws `validation_error` at `path`. */
export function mustBeDomain(text: string, path: string): string {
  const name = readDomain(text.trim())
  if (typeof name === 'string') return name
  throw shapeError([{ path, rule: name.rule, at: name.at }])
}
