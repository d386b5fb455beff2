/**
 * `POST /forms/{id}/json`: a sign-up from a page of the owner's, by script and without a key. New,
 * known and suppressed addresses get the same answer in the same time.
 *
 * 1. every request counts against the rate of its address
 * 2. the page's origin must be one of the form's, to the letter: a browser lets other pages read
 *    nothing (Fetch: CORS protocol). That protects nothing else: programs name any origin. The
 * limits
 *    of every sign-up bind them too.
 * 3. at most 16 KB of JSON, of which the form's own fields are read
 * 4. the sign-up itself, as from our page
 */
import { ApiError, errorBody } from '../../../contract/errors.ts'
import { findForm, isFormOpen, type FoundForm } from '../../../core/forms/find-form.ts'
import { consentOf } from '../../../core/forms/form-texts.ts'
import {
  boxName,
  namesOfBoxes,
  shownTopicsField,
} from '../../../core/audience/preferences/topic-boxes.ts'
import { trapField, type SignUpProblems } from '../../../core/forms/read-sign-up.ts'
import { signUp } from '../../../core/forms/sign-up.ts'
import type { Service } from '../../../core/context.ts'
import { CallerLeft } from '../../../core/dispatch/caller-left.ts'
import type {
  EntryPointAnswer,
  EntryPoints,
  Incoming,
} from '../../../core/dispatch/entry-points.ts'
import { refuse } from '../../../core/dispatch/refuse.ts'
import { shapeError } from '../../../core/input/shape-error.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { languageForMembers, type RecipientLanguage } from '../../../ground/texts/languages.ts'
import { publicTextsIn } from './texts.ts'

const bytesMax = 16 * 1024
/** How long a browser may remember that it may ask, in seconds. */
const preflightSeconds = 600
/** An hour's limits of sign-ups are over by then. */
const retryAfter = 3_600

type Part = Pick<EntryPointAnswer, 'status' | 'body'> &
  Partial<Pick<EntryPointAnswer, 'code'>> & { headers?: Record<string, string> }

export function addFormSignUp(entryPoints: EntryPoints, service: Service): void {
  entryPoints.add('/forms/{id}/json', async (incoming) => {
    const counted = await entryPoints.answerPage(incoming, () => undefined)
    const answer: EntryPointAnswer = { ...counted, operation: null }
    answer.headers['Vary'] = 'Origin'
    if (answer.code !== null) return answer
    try {
      const { origin = '' } = incoming.headers
      const form = await findForm(service, incoming.params['id'] ?? '')
      if (!form) throw new ApiError('not_found')
      if (!form.form.origins.includes(origin)) throw foreignOrigin(origin)
      answer.headers['Access-Control-Allow-Origin'] = origin
      const { headers, ...part } = await answerOwnPage(form, incoming)
      Object.assign(answer, part)
      Object.assign(answer.headers, headers)
    } catch (error) {
      if (error instanceof CallerLeft) throw error
      refuse(service, { ...incoming, operation: null }, error, answer)
    }
    return answer
  })
}

const foreignOrigin = (origin: string): ApiError =>
  new ApiError(
    'foreign_origin',
    origin === '' || origin === 'null'
      ? { reason: 'form_without_origin' }
      : { reason: 'form_origin', origin: origin.slice(0, 300) },
  )

async function answerOwnPage(result: FoundForm, incoming: Incoming): Promise<Part> {
  const { method } = incoming
  if (method === 'OPTIONS')
    return {
      status: 200,
      body: undefined,
      headers: {
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'Content-Type',
        'Access-Control-Max-Age': String(preflightSeconds),
      },
    }
  if (method !== 'POST')
    throw new ApiError('method_not_allowed', { reason: 'method', method, allowed: ['POST'] })
  if (!(await isFormOpen(result))) throw new ApiError('not_found', { reason: 'form_closed' })
  const typed = readTyped(await incoming.readBody(bytesMax, 'stranger'), result)
  return take(result, incoming, typed)
}

/** The form's own fields, as texts; all other keys are ignored. Throws `validation_error`. */
function readTyped(body: unknown, { form }: FoundForm): ReadonlyMap<string, string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw shapeError([{ path: '', rule: 'type', expected: 'object' }])
  const topics = form.offeredTopics.map(({ id }) => id)
  const own = ['email', trapField, ...form.asks.map(({ field }) => field), ...namesOfBoxes(topics)]
  const typed = new Map<string, unknown>([...Object.entries(body), ...tickedIn(body, topics)])
  return new Map(
    own.flatMap((name): [string, string][] => {
      const value = typed.get(name) ?? ''
      if (typeof value !== 'string')
        throw shapeError([{ path: name, rule: 'type', expected: 'string' }])
      return [[name, value]]
    }),
  )
}

/** A page of its own may list the ticked topics in place of the form's boxes. */
function tickedIn(body: object, topics: string[]): [string, string][] {
  const listed: unknown = Reflect.get(body, shownTopicsField)
  if (!Array.isArray(listed)) return []
  const ticks = topics.filter((id) => listed.includes(id))
  return [
    [shownTopicsField, topics.join(' ')],
    ...ticks.map((id): [string, string] => [boxName(id), 'on']),
  ]
}

async function take(
  { service, workspaceId, form }: FoundForm,
  { address, headers }: Incoming,
  typed: ReadonlyMap<string, string>,
): Promise<Part> {
  // The page is the owner's, so it is in the language of the form or the workspace.
  const language = form.language ?? form.workspaceLanguage ?? service.settings.language
  const t = publicTextsIn(language)
  const taken = await signUp(service, {
    ...{ workspaceId, form, typed, language, isElsewhere: true, ip: address },
    shown: consentOf(form, form.workspaceName, t),
    userAgent: headers['user-agent'] ?? null,
  })
  if (taken === 'too_many' || taken === 'again')
    throw new ApiError(
      'rate_limit_exceeded',
      { reason: 'sign_ups', retry_after: retryAfter },
      retryAfter,
    )
  if (taken !== 'taken')
    return {
      ...{ status: 422, code: 'validation_error' },
      body: problemBody(taken.problems, service, language),
    }
  return {
    status: 202,
    body: {
      object: 'sign_up',
      status: 'pending',
      message: fill(t.takenLead, { workspace: form.workspaceName }),
      thanks_url: form.thanksUrl,
    },
  }
}

/** The sentence is for the visitor, in the words of our own page. */
function problemBody(
  problems: SignUpProblems,
  { settings }: Pick<Service, 'settings'>,
  language: RecipientLanguage,
) {
  const [[path, problem] = ['email', 'address'] as const] = problems
  const errors = [...problems].map(([field, rule]) => ({ path: field, rule }))
  const body = errorBody(
    'validation_error',
    { path, rule: problem, errors },
    languageForMembers(language, settings.language),
  )
  const message = publicTextsIn(language).problem[problem]
  return { ...body, error: { ...body.error, message }, message }
}
