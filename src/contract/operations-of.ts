/**
 * Makes the entries of operations: what several share is given once, and what follows from address
 * and input is derived.
 */
import type { ErrorCode } from './errors.ts'
import { limits } from './limits.ts'
import type { Operation } from './operation.ts'
import type { TSchema } from './schema.ts'
import { Type } from './type.ts'

const nothing = Type.Object({})

/** Holds for an operation unless its group or its entry says otherwise. */
const usual = {
  params: nothing,
  query: nothing,
  headers: nothing,
  bodyBytesMax: limits.otherBodyBytes,
} as const
type Usual = typeof usual

/**
 * The part that only an entry has. Its `errors` are the refusals that do not follow from address
 * and input.
 */
type Own = Pick<Operation, 'summary' | 'description'> &
  Partial<Omit<Operation, 'method' | 'path' | 'answer'>>

type GroupAt<Group, Path> = Path extends `${string}{${string}` ? Group : Omit<Group, 'params'>
type AnswerBy<Given> = Given extends Operation['answer'] ? Given : { status: 200; schema: Given }

type BuiltOperation<Group, Method, Path, Given, Entry> = Omit<Usual, keyof Group | keyof Entry> &
  Omit<Group, keyof Entry | 'errors'> &
  Omit<Entry, 'errors'> & {
    method: Method
    path: Path
    answer: AnswerBy<Given>
    errors: readonly ErrorCode[]
  }

/**
 * Returns one function for each method: `forms.get('/api/v1/forms/{id}', Form, { summary, … })`. A
 * schema alone is the answer of a 200. The group's `params` are those of its addresses with a
 * parameter; one that names nothing is refused with `absent`.
 */
export function operationsOf<const Group extends Partial<Operation>>(
  group: Group,
  absent: ErrorCode = 'not_found',
) {
  const make =
    <const Method extends Operation['method']>(method: Method) =>
    <const Path extends Operation['path'], const Given extends object, const Entry extends Own>(
      path: Path,
      parts: Given,
      entry: Entry & Record<Exclude<keyof Entry, keyof Own>, never>,
    ) => {
      const { params, ...shared } = group
      const answer = 'status' in parts ? parts : { status: 200, schema: parts }
      const hasParams = path.includes('{')
      const operation = {
        ...usual,
        ...shared,
        ...(hasParams && params && { params }),
        ...entry,
        method,
        path,
        answer,
      }
      const errors = [
        ...derivedErrors(operation, hasParams ? absent : null),
        ...(group.errors ?? []),
        ...(entry.errors ?? []),
      ]
      // The types of the three parts, joined as the spread joins the values.
      return { ...operation, errors } as unknown as BuiltOperation<
        GroupAt<Group, Path>,
        Method,
        Path,
        Given,
        Entry
      >
    }
  return { get: make('GET'), post: make('POST'), patch: make('PATCH'), delete: make('DELETE') }
}

/** A key may lack the permission, an address may name nothing, and input may break its rules. */
function derivedErrors(
  { scope, query, body }: Partial<Operation>,
  absent: ErrorCode | null,
): ErrorCode[] {
  return [
    ...(scope && scope !== 'none' ? (['insufficient_scope'] as const) : []),
    ...(absent ? [absent] : []),
    ...(body || query !== nothing ? (['validation_error'] as const) : []),
  ]
}

/**
 * For users in a workspace, never with a key; a viewer reads and an editor changes, unless an
 * operation says otherwise.
 */
export const ofMembers = { entry: 'workspace', scope: null } as const satisfies Partial<Operation>

/** A new thing, or work that is begun: the answer's status says so. */
export const created = <S extends TSchema>(schema: S) => ({ status: 201, schema }) as const
export const accepted = <S extends TSchema>(schema: S) => ({ status: 202, schema }) as const

/** 200: what was asked for exists already. */
export const createdOrFound = <S extends TSchema>(schema: S) =>
  ({ status: 201, elseStatus: 200, schema }) as const

/** The answer of a download, or of a page for a frame: a file that describes itself. */
export const fileAnswer = { status: 200, schema: Type.Object({}), file: true } as const
