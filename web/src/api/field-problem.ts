/** These functions word the problem of a form field, which the details of a refusal name. */
import i18next, { type ParseKeys, type TFunction } from 'i18next'
import { Refusal } from './refusal.ts'

interface Problem {
  path?: unknown
  rule?: unknown
  limit?: unknown
}

/**
 * Null if the refusal names no problem of this field. `path` is the contract's: `colours.text`,
 * `asks.0.label`.
 */
export function problemAt(error: unknown, path: string): string | null {
  const problem = problemsOf(error).find((each) => each.path === path)
  return problem ? sayProblem(problem) : null
}

/** Words each wrong value of a field with several values, such as `to`. Null as above. */
export function problemsWithin(
  error: unknown,
  path: string,
  values: readonly string[],
): string | null {
  const lines = problemsOf(error).flatMap((problem) => {
    const [field, at] = String(problem.path).split('.')
    if (field !== path) return []
    const value = at === undefined ? undefined : values[Number(at)]
    return [value === undefined ? sayProblem(problem) : `${value}: ${sayProblem(problem)}`]
  })
  return lines.length === 0 ? null : lines.join(' ')
}

/** Returns each problem once, for pages that have no field beside which it could stand. */
export const sayProblems = (error: unknown, t: TFunction): string[] => [
  ...new Set(problemsOf(error).map((problem) => sayProblem(problem, t))),
]

/** A rule of an address is called `address.missing_at` where the address is one of a message. */
const sayProblem = ({ rule, limit }: Problem, t: TFunction = i18next.t): string =>
  t(sentences.get(String(rule).replace(/^address\./, '')) ?? 'problemOther', { limit })

/** Whether a refusal is about one of these fields, so that the form need not repeat it. */
export const isAbout = (error: unknown, paths: readonly string[]): boolean =>
  problemsOf(error).some(({ path }) => paths.includes(String(path)))

function problemsOf(error: unknown): Problem[] {
  if (!(error instanceof Refusal) || error.code !== 'validation_error') return []
  const { errors } = error.details
  return Array.isArray(errors) ? errors.filter(isProblem) : [error.details]
}

const isProblem = (value: unknown): value is Problem => typeof value === 'object' && value !== null

/** Rules of the contract, by the sentence that says them. */
const rules: Partial<Record<ParseKeys, readonly string[]>> = {
  problemEmpty: ['minLength', 'required', 'empty', 'empty_domain'],
  problemNone: ['minItems'],
  problemLong: ['maxLength'],
  problemMany: ['maxItems', 'recipients'],
  problemHidden: ['control_character', 'misleading_character'],
  problemTime: ['date-time'],
  problemPast: ['in_the_past'],
  problemCursor: ['cursor'],
  problemPicture: ['image_type', 'image'],
  problemPictureLarge: ['image_side', 'image_pixels'],
  problemPicturesFull: ['images_bytes'],
  problemRoom: [
    'room.apiKeys',
    'room.senders',
    'room.domains',
    'room.forms',
    'room.segments',
    'room.drafts',
    'room.images',
    'room.members',
  ],
  problemHeavy: ['body_bytes', 'text_bytes'],
  problemAddress: [
    'missing_at',
    'source_route',
    'unclosed_angle',
    'unclosed_quote',
    'local_part_too_long',
    'name_needs_quotes',
    'local_part_character',
    'empty_local_part',
    'local_part_dot',
  ],
  problemAddressAlone: [
    'more_than_one_address',
    'text_after_address',
    'group',
    'comment',
    'address_alone',
  ],
  problemDomain: [
    'domain_character',
    'domain_without_dot',
    'domain_label',
    'domain_not_idna',
    'ip_address',
  ],
  problemDomainLong: ['domain_too_long'],
  problemBelow: ['below_domain'],
  problemSameHost: ['same_host'],
  problemContrast: ['contrast'],
  problemOrigin: ['origin'],
  problemHttps: ['https_url'],
  problemTwice: ['twice'],
  problemKey: ['pattern'],
  problemFields: ['fields'],
  problemNumber: ['field_number'],
  problemDay: ['field_date'],
  problemBoolean: ['field_boolean'],
  problemChoice: ['field_choice'],
}

// The entries of an object have its keys.
const sentences = new Map(
  (Object.entries(rules) as [ParseKeys, readonly string[]][]).flatMap(([sentence, names]) =>
    names.map((name) => [name, sentence]),
  ),
)
