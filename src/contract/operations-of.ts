/** Begins the entries of operations: what several share is given once, method and address come with each. */
import { limits } from './limits.ts'
import type { Operation } from './operation.ts'
import { Type } from './type.ts'

const nothing = Type.Object({})

/** Holds for an operation unless its entry says otherwise. */
const usual = { params: nothing, query: nothing, headers: nothing, bodyBytesMax: limits.otherBodyBytes, errors: [] } as const
type Usual = typeof usual

/** An entry without what only it can say: summary, description, answer. */
type Begun<Shared, Method, Path> = Omit<Usual, keyof Shared> & Shared & { method: Method; path: Path }

/** One function for each method, which takes an address: `...forms.get('/api/v1/forms')` in an entry. */
export function operationsOf<const Shared extends Partial<Operation>>(shared: Shared) {
  const begin =
    <const Method extends Operation['method']>(method: Method) =>
    <const Path extends Operation['path']>(path: Path): Begun<Shared, Method, Path> => ({ ...usual, ...shared, method, path })
  return { get: begin('GET'), post: begin('POST'), patch: begin('PATCH'), delete: begin('DELETE') }
}

/** For users in a workspace, never with a key; a viewer reads and an editor changes, unless an operation says otherwise. */
export const ofMembers = { entry: 'workspace', scope: null } as const satisfies Partial<Operation>

/** The answer of a download, or of a page for a frame: a file that describes itself. */
export const fileAnswer = { status: 200, schema: Type.Object({}), file: true } as const
