/**
 * Derives a command from an operation: its flags, types, bounds, help and `--json` answer; the
 * table adds the rest.
 */
import { ApiError, type ErrorDetails } from '../../../contract/errors.ts'
import type { Operation } from '../../../contract/operation.ts'
import { operations, type MemberAnswerOf, type OperationId } from '../../../contract/operations.ts'
import { eachWorkspace } from '../../../core/each-workspace.ts'
import type { WorkspaceRow } from '../../../db/workspaces/workspaces.ts'
import { didYouMean } from '../../../ground/nearest.ts'
import type { Command, CommandContext, Flag, Switch } from '../command.ts'
import { resolveWorkspace } from '../workspace-command.ts'
import { anyWorkspaceFlag, flag, workspaceFlag } from '../parameters.ts'
import { present } from '../present.ts'
import { CommandRefusal } from '../refusal.ts'
import { printed, type Result } from '../result.ts'
import { readWhole } from '../values.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { callOperation, type CallParts } from './call-operation.ts'
import {
  operationFields,
  flagName,
  flagFor,
  none,
  singular,
  type Field,
} from './operation-fields.ts'

export type Body<Id extends OperationId> = MemberAnswerOf<Id>

/** The values for a sentence: the workspace, and the operator's input by the names of the line. */
export interface About {
  ctx: CommandContext
  workspace: WorkspaceRow
  words: WordValues
}

/** Values by the names of the line: arguments and flags. */
export type WordValues = Record<string, unknown>

/** The parts of a command that its operation lacks; most commands need a few of these. */
export interface OwnWords {
  /** Absent means the words of the operation's id. */
  name?: string
  /** Absent means those of the operation. */
  summary?: string
  note?: string
  examples: string[]
  /**
   * Fields with a place in the line instead of a flag, each with its word; those of the path have
   * one anyway.
   */
  places?: Record<string, string>
  /** Fields that have one value and no flag. */
  fixed?: Record<string, unknown>
  /** The only fields in the line. Absent means all but the fixed ones. */
  only?: readonly string[]
  /** Fields that the line must have, where the operation would take another spelling. */
  required?: readonly string[]
  /** Checks conditions between values before anything is opened; throws `CommandRefusal`. */
  checkLine?: (words: WordValues) => void
  /** Readers that know more than the schema: of an address, a domain. */
  read?: Record<string, (text: string) => unknown>
  /** Descriptions of such fields, where the line spells them in a way of its own. */
  texts?: Record<string, string>
  /** Words for the values of such fields, where the flag's own name says too little. */
  values?: Record<string, string>
  /** `--workspace` may be left out: a list is of all, one object is looked for in each. */
  everywhere?: true
  /** The place names the object by this field of its list, instead of by its identifier. */
  foundBy?: { list: OperationId; field: string }
  /** The field of the answer that is its `id`. Absent means `id`, else what the place says. */
  key?: string
  /**
   * Sentences for expected refusals, by `details.reason` or code. Null means none for these
   * details.
   */
  refusals?: Record<string, (details: ErrorDetails, about: About) => Sentence | Promise<Sentence>>
  /** A list that may be very long ends after so many entries, or as many as `--limit` says. */
  shownMax?: number
  /** Flags of the command alone. */
  switches?: Record<string, Switch>
  /** Completes what the operator gave. */
  prepare?: (parts: CallParts, about: About) => Promise<CallParts>
}

type Sentence = string | CommandRefusal | null

interface Shown<Id extends OperationId> {
  /** The result as a sentence and the next step. Absent means each field of the answer. */
  say?: (body: Body<Id>, about: About) => string | Promise<string>
  /** The object of `--json`, where it is a part of the answer. */
  json?: (body: Body<Id>, about: About) => object
  /** Answers in place of the operation, where a flag of the command asks for it; else null. */
  instead?: (parts: CallParts, about: About) => Promise<Body<Id> | null>
  /** The exit code is 1. */
  failed?: (body: Body<Id>) => boolean
}

/** A line of a derived command, as the parts of its call. */
export interface DerivedCall<Id extends OperationId, Own = OwnWords & Pick<Shown<Id>, 'instead'>> {
  id: Id
  own: Own
  parts: CallParts
  /** The workspace that the line names. */
  W: string | null
  words: WordValues
  placed: Placed
}

/** A command that calls one operation and shows its answer. */
export function derive<const Id extends OperationId>(id: Id, own: OwnWords & Shown<Id>): Command {
  return deriveWith(id, own, async (ctx, call) => {
    const { workspace, body, objectId } = await callSomewhere(ctx, call)
    const { words } = call
    const about = { ctx, workspace, words }
    const json = Object(own.json?.(body, about) ?? body)
    const whole = withIds(json, workspace, own.key, objectId ?? placeOf(words))
    const text = (await own.say?.(body, about)) ?? present(json)
    return printed(whole, text, own.failed?.(body))
  })
}

/** Derives the command's words, and maps each value of its line to a part of the call. */
export function deriveWith<Id extends OperationId, Own extends OwnWords>(
  id: Id,
  own: Own,
  answer: (ctx: CommandContext, call: DerivedCall<Id, Own>) => Promise<Result>,
): Command {
  const operation: Operation = operations[id]
  const isOffered = (name: string): boolean =>
    own.only?.includes(name) ?? !Object.hasOwn(own.fixed ?? {}, name)
  const isRequired = ({ path }: Field): boolean => own.required?.includes(path.join('.')) ?? false
  const placed = operationFields(operation)
    .filter(({ path }) => isOffered(path.join('.')))
    .map((field) => ({
      ...{ field: { ...field, required: field.required || isRequired(field) } },
      label: labelOf(field, own),
    }))
  const parameters = placed.map(
    (each) => [nameOf(each), flagFor(each.field, wordsFor(each, own, operation))] as const,
  )
  const isPlace = (name: string): boolean => placed.some(({ label }) => label === name)
  return defineDatabaseCommand({
    name: own.name ?? commandName(id),
    summary: own.summary ?? operation.summary,
    note: own.note ?? operation.description.replaceAll(/ \((?:404|409|422)\)/g, ''),
    arguments: Object.fromEntries(parameters.filter(([name]) => isPlace(name))),
    flags: {
      workspace: own.everywhere ? anyWorkspaceFlag : workspaceFlag,
      ...(Object.fromEntries(parameters.filter(([name]) => !isPlace(name))) as Record<
        string,
        Flag<unknown>
      >),
      ...(own.shownMax !== undefined && { limit: limitFlag(own.shownMax) }),
      ...own.switches,
    },
    examples: own.examples,
    checkLine: (input) => {
      own.checkLine?.(input)
      if (
        operation.method === 'PATCH' &&
        !own.fixed &&
        Object.keys(partsOf(placed, own, input).body ?? {}).length === 0
      )
        throw new CommandRefusal(
          'usage',
          `Nothing to set for ${wordsOf(input, placed)}: give at least one flag.`,
        )
    },
    run: (ctx, input: Record<string, unknown>) => {
      const { workspace: W, ...rest } = input
      return answer(ctx, {
        id,
        own,
        parts: partsOf(placed, own, rest),
        W: typeof W === 'string' ? W : null,
        words: rest,
        placed,
      })
    },
  })
}

const limitFlag = (shownMax: number): Flag<number | null> =>
  flag(
    'N',
    `Shows so many at most, and says whether there are more. Default: ${shownMax}.`,
    readWhole(1, 1_000_000),
  )

/**
 * `pauseCampaign` is `campaign pause`: the verb as commands call it, and the noun that follows it.
 */
export function commandName(id: OperationId): string {
  const [verb = '', noun = ''] = id
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .split(' ')
  const verbs: Record<string, string> = { get: 'show', update: 'set' }
  return `${singular(noun)} ${verbs[verb] ?? verb}`
}

function wordsFor(
  each: Placed[number],
  { read = {}, texts = {}, values = {} }: OwnWords,
  { method }: Operation,
) {
  const path = each.field.path.join('.')
  return {
    spelled: spell(each),
    read: read[path],
    text: texts[path],
    value: values[path],
    isChange: method === 'PATCH',
  }
}

type Placed = { field: Field; label: string | undefined }[]

const nameOf = ({ field, label }: Placed[number]): string => label ?? flagName(field)
const spell = ({ field, label }: Placed[number]): string => label ?? `--${flagName(field)}`

const labelOf = ({ part, path }: Field, { places = {} }: OwnWords): string | undefined =>
  places[path.join('.')] ?? (part === 'params' ? path.join('_').toUpperCase() : undefined)

const wordsOf = (input: Record<string, unknown>, placed: Placed): string =>
  placed.flatMap(({ label }) => (label === undefined ? [] : [String(input[label])])).join(' ') ||
  String(input['workspace'])

/** Sorts the given values into the parts of the call. */
function partsOf(
  placed: Placed,
  { fixed = {} }: OwnWords,
  input: Record<string, unknown>,
): CallParts {
  const parts = { params: {}, query: {}, body: { ...fixed } }
  for (const each of placed) {
    const { part, path } = each.field
    const value = input[nameOf(each)]
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
      continue
    const list = Array.isArray(value) && value.filter((item) => item !== none)
    setAt(parts[part], path, list || (value === none ? null : value))
  }
  return parts
}

function setAt(
  object: Record<string, unknown>,
  [step = '', ...others]: string[],
  value: unknown,
): void {
  if (others.length === 0) object[step] = value
  else setAt((object[step] ??= {}) as Record<string, unknown>, others, value)
}

interface Called<Id extends OperationId> {
  workspace: WorkspaceRow
  body: Body<Id>
  /** The identifier in the operation's path. */
  objectId: string | undefined
}

/** Without a workspace in the line, the first one that has the object. */
async function callSomewhere<Id extends OperationId>(
  ctx: CommandContext,
  call: DerivedCall<Id>,
): Promise<Called<Id>> {
  if (call.W !== null) return callIn(ctx, await resolveWorkspace(ctx, call.W), call)
  for await (const page of eachWorkspace({ db: ctx.db })) {
    for (const workspace of page) {
      const called = await callIn(ctx, workspace, call).catch((error: unknown) => {
        if (error instanceof CommandRefusal && error.code === 'not_found') return null
        throw error
      })
      if (called) return called
    }
  }
  const noun = nounOf(call)
  throw new CommandRefusal(
    'not_found',
    `There is no ${noun} "${placeOf(call.words)}": "facteur ${noun} list" shows all.`,
  )
}

export async function callIn<Id extends OperationId>(
  home: CommandContext,
  workspace: WorkspaceRow,
  call: DerivedCall<Id>,
): Promise<Called<Id>> {
  const { id, own, words } = call
  const ctx = await home.inCell(workspace.databaseId)
  const about = { ctx, workspace, words }
  try {
    const result = await withFound(ctx, workspace, call)
    const parts = (await own.prepare?.(result, about)) ?? result
    const body =
      (await own.instead?.(parts, about)) ??
      (await callOperation(ctx, workspace.id, { id, ...parts }))
    return { workspace, body, objectId: Object.values(result.params ?? {}).map(String)[0] }
  } catch (error) {
    throw await inWords(error, about, call)
  }
}

/** Replaces the argument, such as an address, by the identifier that the operation takes. */
async function withFound(
  ctx: CommandContext,
  workspace: WorkspaceRow,
  call: DerivedCall<OperationId, OwnWords>,
): Promise<CallParts> {
  const { own, parts, words } = call
  if (!own.foundBy) return parts
  const { list, field } = own.foundBy
  const { data } = (await callOperation(ctx, workspace.id, { id: list })) as {
    data: Record<string, unknown>[]
  }
  const [name = ''] = Object.keys(parts.params ?? {})
  const requested = placeOf(words).toLowerCase()
  const entry = data.find((each) => String(each[field]).toLowerCase() === requested)
  if (entry) return { ...parts, params: { [name]: entry[name] } }
  // Addresses at one domain are always near each other.
  const known = field === 'email' ? [] : data.map((each) => String(each[field]))
  throw new CommandRefusal(
    'not_found',
    `${unknownOf(call, workspace)}${didYouMean(requested, known)} ${seeAll(call, workspace)}`,
  )
}

async function inWords(
  error: unknown,
  about: About,
  call: DerivedCall<OperationId, OwnWords>,
): Promise<unknown> {
  if (!(error instanceof ApiError)) return error
  const { refusals = {} } = call.own
  const write = refusals[String(error.details['reason'])] ?? refusals[error.code]
  const sentence = (await write?.(error.details, about)) ?? null
  if (sentence !== null)
    return typeof sentence === 'string' ? new CommandRefusal('refused', sentence) : sentence
  if (error.code === 'validation_error') return inFlags(error, call.placed)
  if (error.code !== 'not_found' || Object.keys(call.parts.params ?? {}).length === 0) return error
  return new CommandRefusal(
    'not_found',
    `${unknownOf(call, about.workspace)}: ${seeAll(call, about.workspace)}`,
  )
}

/** The fields of the problems as the line spells them. */
function inFlags(error: ApiError, placed: Placed): ApiError {
  const { errors } = error.details
  if (!Array.isArray(errors)) return error
  const renamed = errors.map(({ path, ...problem }: ErrorDetails) => {
    const renamedField = placed.find(({ field }) =>
      `${String(path)}.`.startsWith(`${field.path.join('.')}.`),
    )
    return { path: renamedField ? spell(renamedField) : path, ...problem }
  })
  return new ApiError(error.code, { ...error.details, errors: renamed })
}

const nounOf = ({ id, own }: DerivedCall<OperationId, OwnWords>): string =>
  (own.name ?? commandName(id)).split(' ')[0] ?? ''
const unknownOf = (call: DerivedCall<OperationId, OwnWords>, { slug }: WorkspaceRow): string =>
  `${slug} has no ${nounOf(call)} "${placeOf(call.words)}"`
const seeAll = (call: DerivedCall<OperationId, OwnWords>, { slug }: WorkspaceRow): string =>
  `"facteur ${nounOf(call)} list --workspace ${slug}" shows all.`

/** The word of the line that names the object. */
const placeOf = (words: WordValues): string => {
  const location = Object.entries(words).find(([name]) => /^[A-Z_]+$/.test(name))
  return typeof location?.[1] === 'string' ? location[1] : ''
}

/**
 * Every object has its `id` and its workspace; what has no identifier is known by its place, or by
 * the workspace.
 */
export function withIds(entry: object, { id }: WorkspaceRow, key = 'id', location = ''): object {
  const own: unknown = Object.entries(entry).find(([name]) => name === key)?.[1]
  return { id: own ?? (location || String(id)), workspace_id: String(id), ...entry }
}
