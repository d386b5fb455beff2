/** Parses a domain name from a call. */
import { ApiError } from '../../contract/errors.ts'
import { readDomain, readTypedDomain } from '../../ground/domain-name.ts'
import { shapeError } from '../input/shape-error.ts'

/** Parses it from a path: a malformed name is answered as an unknown domain. */
export function domainOfPath(text: string): string {
  const name = readDomain(text)
  if (typeof name !== 'string') throw new ApiError('not_found')
  return name
}

/** Parses it as people type it. Throws `validation_error` at `path`. */
export function mustBeDomain(text: string, path: string): string {
  const name = readTypedDomain(text)
  if (typeof name === 'string') return name
  throw shapeError([{ path, rule: name.rule, at: name.at }])
}
