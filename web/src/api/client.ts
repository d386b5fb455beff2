/**
 * Calls the service by the contract: `api.getEmail({ params: { id } })`. Inputs and answers are the
 * contract's own types.
 */
import { routes } from 'virtual:contract'
import type { OutgoingFile } from '../../../src/contract/operation.ts'
import type { InputOf, MemberAnswerOf, OperationId } from '../../../src/contract/operations.ts'
import { languageNow } from '../language.ts'
import { askWhoItIs, type SignInCause } from './fresh-sign-in.ts'
import { Refusal, readRefusal } from './refusal.ts'
import { sendFile, type Watch } from './send-file.ts'
import { operatorSlug, slugHere } from './slug-here.ts'

type Part<Name extends string, Value> = Value extends undefined
  ? unknown
  : object extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value }

/**
 * A caller gives an operation these parts of its input, and may leave out those that it does not
 * need.
 */
export type CallInput<Id extends OperationId> = Part<'params', InputOf<Id>['params']> &
  Part<'query', InputOf<Id>['query']> &
  Part<'headers', InputOf<Id>['headers']> &
  Part<'body', InputOf<Id>['body']> &
  (InputOf<Id>['file'] extends undefined ? unknown : { file: Blob } & Partial<Watch>)

/** The body of success; a file as its bytes. */
export type Got<Id extends OperationId> =
  MemberAnswerOf<Id> extends OutgoingFile ? Blob : MemberAnswerOf<Id>

/** The caller may leave out the input of an operation that requires no part of it. */
export type Args<Id extends OperationId> =
  object extends CallInput<Id> ? [input?: CallInput<Id>] : [input: CallInput<Id>]

type Api = { [Id in OperationId]: (...args: Args<Id>) => Promise<Got<Id>> }

interface Input extends Partial<Watch> {
  params?: Record<string, string>
  query?: Record<string, unknown>
  headers?: Record<string, string | undefined>
  body?: unknown
  file?: Blob
}

/** These calls go to the workspace of the page. */
export const api = callsIn(slugHere)

/** These calls go to one workspace, even after the user has left it. */
export const apiOf = (slug: string | null): Api => callsIn(() => slug)

function callsIn(slugOf: () => string | null): Api {
  // The contract's types say what each operation takes and answers; the routes hold exactly its
  // operations.
  const ids = Object.keys(routes) as OperationId[]
  return Object.fromEntries(ids.map((id) => [id, callWith(id, slugOf)])) as unknown as Api
}

/**
 * Returns the address of a file of the service: for frames, pictures and links that download it.
 */
export function addressOf<Id extends OperationId>(id: Id, ...[input]: Args<Id>): string {
  // The input of every operation consists of the parts of `Input`.
  return fullAddress(id, (input ?? {}) as Input, slugHere())
}

function callWith(id: OperationId, slugOf: () => string | null) {
  return async (input: Input = {}): Promise<unknown> => {
    const answer = await ask(id, input, slugOf())
    return routes[id].file ? answer.blob() : answer.status === 204 ? null : answer.json()
  }
}

/**
 * Asks a user whose session is too old, or has ended meanwhile, to sign in again, and then repeats
 * the call.
 */
async function ask(id: OperationId, input: Input, slug: string | null): Promise<Response> {
  const answer = await send(id, input, slug)
  if (answer.ok) {
    hadSession ||= id === 'getSession' || id === 'listMyWorkspaces'
    return answer
  }
  const refusal = await readRefusal(id, answer)
  const cause = causeOf(refusal.code)
  if (cause === null || !(await askWhoItIs(cause))) throw refusal
  const again = await send(id, input, slug)
  if (again.ok) return again
  throw await readRefusal(id, again)
}

/**
 * A user without a session is led to the page for signing in; what is typed on an open page stays
 * there.
 */
let hadSession = false

function causeOf(code: string): SignInCause | null {
  if (code === 'fresh_sign_in_required') return 'fresh'
  return code === 'not_signed_in' && hadSession ? 'signed_out' : null
}

async function send(id: OperationId, input: Input, slug: string | null): Promise<Response> {
  const { method } = routes[id]
  const headers: Record<string, string> = { 'Accept-Language': languageNow() }
  for (const [name, value] of Object.entries(input.headers ?? {}))
    if (value !== undefined) headers[name] = value
  if (input.body !== undefined) headers['Content-Type'] = 'application/json'
  if (input.file) headers['Content-Type'] = input.file.type || 'application/octet-stream'
  const address = fullAddress(id, input, slug)
  const { file, onSent, signal } = input
  try {
    if (file)
      return await sendFile(address, {
        method,
        headers,
        file,
        ...(onSent && { onSent }),
        ...(signal && { signal }),
      })
    const body = input.body === undefined ? null : JSON.stringify(input.body)
    return await fetch(address, { method, headers, body, signal: signal ?? null })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Refusal({ code: 'unreachable', status: 0, message: '', details: {} })
  }
}

function fullAddress(
  id: OperationId,
  { params = {}, query = {} }: Input,
  slug: string | null,
): string {
  const { path, entry } = routes[id]
  const filled = path.replaceAll(/\{(\w+)\}/g, (_part, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const requested = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  const search = new URLSearchParams(
    requested.map(([name, value]) => [name, String(value)]),
  ).toString()
  return `${prefixOf(entry, slug)}${filled}${search && `?${search}`}`
}

function prefixOf(entry: string, slug: string | null): string {
  if (entry === 'user') return '/people'
  return slug === operatorSlug ? '/captured' : `/workspaces/${encodeURIComponent(slug ?? '')}`
}
