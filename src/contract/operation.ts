/** What the table says of an operation: which door, who may, what goes in, what comes out. */
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
   * `api`: by API key, and by people in the pages of a workspace. `workspace`: by a signed-in person in a workspace, never by a
   * key. `person`: by a person whatever the workspace, signed in or about to be.
   */
  door: 'api' | 'workspace' | 'person'
  /** The permission a key needs; null: any key; `none`: no key at all, or, by the door `person`, no session. */
  scope: Scope | null | 'none'
  /** What a person must be in the workspace; absent: a viewer for what only reads, an editor for the rest. */
  role?: Role
  /** A person must have shown who they are within the last minutes. */
  fresh?: true
  tag: Tag
  summary: string
  description: string
  params: TObject
  query: TObject
  headers: TObject
  /** Absent: whatever comes as a body is ignored. */
  body?: TSchema
  /** Parts of the body, or of each entry of a list, whose texts are rewritten and never refused. */
  rewritten?: readonly string[]
  /**
   * Keys that other services know on this call and this one does not: refused by their names where all other unknown keys are
   * ignored. By the part of the body that they stand in: empty for the body itself, or each entry of a list.
   */
  foreign?: Record<string, Record<string, Hint>>
  /** The body is a file as it is, read as it comes and never held whole. By the doors of people alone. */
  takesFile?: true
  /** Octets of body at most. */
  bodyBytesMax: number
  /**
   * The status of success (and another, where what was asked for was there already), its body, and the headers it may carry.
   * `file`: the body is a file to be kept or shown, instead of what the schema says. By the doors of people alone.
   */
  answer: { status: 200 | 201 | 202; elseStatus?: 200; schema: TSchema; headers?: Record<string, string>; file?: true }
  /** Refusals beyond those that any call can meet (401, 429, 500). */
  errors: readonly ErrorCode[]
  /** Present: agents call it too, as the tool that is its id in snake case (spec: MCP server). */
  tool?: Tool
}

/** What an agent reads of an operation beyond what everybody does. */
export interface Tool {
  readOnly: boolean
  /** What it does cannot be taken back (spec: MCP server, "irreversible"). */
  destructive: boolean
  /** The same call again changes nothing more. */
  idempotent: boolean
  /** It reaches people outside: mail leaves. */
  openWorld: boolean
  /** Arguments that are left out: aliases of others. They are understood all the same. */
  aliases?: readonly string[]
  /** Follows the description. */
  advice?: string
}

/** A file that leaves: its octets as they come. */
export interface OutgoingFile {
  /** Its media type. */
  type: string
  /** Under which name it is to be kept; null: it is shown in place. */
  name: string | null
  octets: Buffer | AsyncIterable<Buffer>
}
