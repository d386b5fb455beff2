/** What is wrong with one field of a form, in words: read off a refusal's details, and shown where it was typed. */
import { Refusal } from '../api/refusal.ts'

interface Problem {
  path?: unknown
  rule?: unknown
  limit?: unknown
}

/** Any area's `t`: the sentences are those of the shell, which every page has. */
type Say = (key: string, values: { ns: 'shell'; limit: unknown }) => string

/** Null where the refusal is not about this field. `path` is the contract's: `colours.text`, `asks.0.label`. */
export function problemAt(error: unknown, path: string, t: Say): string | null {
  const problem = problemsOf(error).find((each) => each.path === path)
  return problem ? sayProblem(problem, t) : null
}

/** Of a field that takes several values, such as `to`: each that is wrong, with what is wrong with it. Null as above. */
export function problemsWithin(error: unknown, path: string, values: readonly string[], t: Say): string | null {
  const lines = problemsOf(error).flatMap((problem) => {
    const [field, at] = String(problem.path).split('.')
    if (field !== path) return []
    const value = at === undefined ? undefined : values[Number(at)]
    return [value === undefined ? sayProblem(problem, t) : `${value}: ${sayProblem(problem, t)}`]
  })
  return lines.length === 0 ? null : lines.join(' ')
}

/** All that is wrong, each said once, for where no field is to stand beside it. */
export const sayProblems = (error: unknown, t: Say): string[] => [
  ...new Set(problemsOf(error).map((problem) => sayProblem(problem, t))),
]

/** A rule of an address is called `address.missing_at` where the address is one of a message. */
const sayProblem = ({ rule, limit }: Problem, t: Say): string =>
  t(sentences[String(rule).replace(/^address\./, '')] ?? 'problemOther', { ns: 'shell', limit })

/** Whether a refusal is about one of these fields, so that it need not be said twice. */
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
  misleading_character: 'problemHidden',
  'date-time': 'problemTime',
  required: 'problemEmpty',
  in_the_past: 'problemPast',
  cursor: 'problemCursor',
  recipients: 'problemMany',
  image_type: 'problemPicture',
  image_side: 'problemPictureLarge',
  image_pixels: 'problemPictureLarge',
  images_bytes: 'problemPicturesFull',
  'room.apiKeys': 'problemRoom',
  'room.senders': 'problemRoom',
  'room.domains': 'problemRoom',
  'room.forms': 'problemRoom',
  'room.drafts': 'problemRoom',
  'room.images': 'problemRoom',
  'room.members': 'problemRoom',
  image: 'problemPicture',
  body_bytes: 'problemHeavy',
  text_bytes: 'problemHeavy',
  missing_at: 'problemAddress',
  more_than_one_address: 'problemAddressAlone',
  text_after_address: 'problemAddressAlone',
  group: 'problemAddressAlone',
  comment: 'problemAddressAlone',
  source_route: 'problemAddress',
  unclosed_angle: 'problemAddress',
  unclosed_quote: 'problemAddress',
  local_part_too_long: 'problemAddress',
  name_needs_quotes: 'problemAddress',
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
