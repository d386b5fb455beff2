/** Defines an entry of the operations table: its entry point, permissions, input and answer. */
import type { ErrorCode } from './errors.ts'
import type { Hint } from './hints.ts'
import type { Role } from './roles.ts'
import type { TObject, TSchema } from './schema.ts'
import type { Scope } from './scopes.ts'

export type Tag = 'Workspace' | 'E-mails' | 'Subscribers' | 'Suppression' | 'Campaigns' | 'Webhooks'

export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the base address; `{name}` is a parameter. */
  path: `/api/v1${string}`
  /**
   * `api`: by API key, and by users in a workspace's pages. `workspace`: by a signed-in user in a
   * workspace, never by a key. `user`: by a user outside workspaces, signed in or about to be.
   */
  entry: 'api' | 'workspace' | 'user'
  /**
   * The permission that a key needs. Null means any key; `none`: no key at all or, for `user`, no
   * session.
   */
  scope: Scope | null | 'none'
  /** The role that a user needs. Absent means a viewer for reading, an editor for the rest. */
  role?: Role
  /** The user must have proven their identity within the last minutes. */
  fresh?: true
  tag: Tag
  summary: string
  description: string
  params: TObject
  query: TObject
  headers: TObject
  /** Absent if a request body is ignored. */
  body?: TSchema
  /** The body may be missing, as if it were empty. */
  optionalBody?: true
  /**
   * What users in their workspace give in place of the above at the same address, and the fuller
   * list or object that they read. Absent means the same as a key.
   */
  members?: { query?: TObject; body?: TSchema; answer?: TSchema }
  /** Parts of the body, or of each entry of a list, whose texts are rewritten and never refused. */
  rewritten?: readonly string[]
  /**
   * Keys of other services that this call does not have: refused by name, where all other unknown
   * keys are ignored. They are listed by the part of the body that holds them: empty for the body
   * itself, or each entry of a list. A call without a body refuses them too, in whatever comes.
   */
  foreign?: Record<string, Record<string, Hint>>
  /** The body is a file, streamed and never in memory as a whole. Only for users. */
  takesFile?: true
  /** The maximum of the body's bytes. */
  bodyBytesMax: number
  /**
   * The status of success (and another if the requested object exists already), its body, and its
   * optional headers. `file`: the body is a file to download or show, instead of the schema's
   * value. Only for users.
   */
  answer: {
    status: 200 | 201 | 202
    elseStatus?: 200
    schema: TSchema
    headers?: Record<string, string>
    file?: true
  }
  /** Refusals beyond those of every call (401, 429, 500). */
  errors: readonly ErrorCode[]
  /** Present: agents can call it as the tool named by its id in snake case (spec: MCP server). */
  tool?: Tool
}

/** The description of an operation for agents, beyond the general one. */
export interface Tool {
  readOnly: boolean
  /** Its effect cannot be undone (spec: MCP server, "irreversible"). */
  destructive: boolean
  /** A repeated call changes nothing more. */
  idempotent: boolean
  /** It reaches the outside world: mail leaves. */
  openWorld: boolean
  /** Arguments that are not listed: aliases of others, still accepted. */
  aliases?: readonly string[]
  /** Follows the description. */
  advice?: string
}

/** A file that is sent: its bytes as a stream. */
export interface OutgoingFile {
  /** Its media type. */
  type: string
  /** The name for saving it. Null if it is shown in place. */
  name: string | null
  bytes: Buffer | AsyncIterable<Buffer>
}
