/** What is wrong with one field of a form, in words: read off a refusal's details, and shown where it was typed. */
import type { TFunction } from 'i18next'
import { Refusal } from '../../api/refusal.ts'

interface Problem {
  path?: unknown
  rule?: unknown
  limit?: unknown
}

type Say = TFunction<'settings'>

/** Null where the refusal is not about this field. `path` is the contract's: `colours.text`, `asks.0.label`. */
export function problemAt(error: unknown, path: string, t: Say): string | null {
  const problem = problemsOf(error).find((each) => each.path === path)
  if (!problem) return null
  const key = sentences[String(problem.rule)] ?? 'problemOther'
  return t(key, { limit: problem.limit, rule: problem.rule })
}

/** Whether a refusal is about one of these fields, so that it need not be told twice. */
export const isAbout = (error: unknown, paths: readonly string[]): boolean =>
  problemsOf(error).some(({ path }) => paths.includes(String(path)))

function problemsOf(error: unknown): Problem[] {
  if (!(error instanceof Refusal) || error.code !== 'validation_error') return []
  const { errors } = error.details
  return Array.isArray(errors) ? errors.filter(isProblem) : [error.details]
}

const isProblem = (value: unknown): value is Problem => typeof value === 'object' && value !== null

const sentences: Record<string, string> = {
  minLength: 'problemEmpty',
  minItems: 'problemNone',
  maxLength: 'problemLong',
  maxItems: 'problemMany',
  control_character: 'problemHidden',
  past: 'problemPast',
  date_time: 'problemTime',
  missing_at: 'problemAddress',
  address_alone: 'problemAddressAlone',
  empty: 'problemEmpty',
  empty_domain: 'problemEmpty',
  local_part_character: 'problemAddress',
  empty_local_part: 'problemAddress',
  local_part_dot: 'problemAddress',
  domain_character: 'problemDomain',
  domain_without_dot: 'problemDomain',
  domain_label: 'problemDomain',
  domain_not_idna: 'problemDomain',
  domain_too_long: 'problemDomainLong',
  ip_address: 'problemDomain',
  below_domain: 'problemBelow',
  same_host: 'problemSameHost',
  contrast: 'problemContrast',
  twice: 'problemTwice',
  pattern: 'problemKey',
  fields: 'problemFields',
}
