/**
 * Defines what users alone read and do with captured mails: the state of the list, which mails were
 * read, and files. The operator's page does the same with those of every workspace.
 */
import { capturedCursor, capturedKinds, entryFields, mailFields } from '../captured.ts'
import { limits } from '../limits.ts'
import { fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { PageQuery, Text, Type, listOf, objectOrNull, oneOf, type Static } from '../schema.ts'

/** Only the operator's page gives it. */
const ofWorkspace = {
  workspace: Text.optional({ maxLength: 100, description: 'Slug. Of the operator alone.' }),
}
export const OfOperator = Type.Object(ofWorkspace)

const browsed = {
  ...ofWorkspace,
  search: Text.optional({
    maxLength: limits.searchMax,
    description:
      'Words, each in the recipient, the sender or the subject; `to:`, `from:` or `subject:` before a word; `has:link`.',
  }),
  kind: Type.Optional(oneOf(capturedKinds)),
  campaign: Type.Optional(Type.String({ format: 'uuid', description: 'Of this campaign alone.' })),
}

export const CapturedBrowse = Type.Object({
  ...PageQuery.properties,
  cursor: capturedCursor,
  ...browsed,
  fold: Type.Optional(
    oneOf(['campaigns'], {
      description: "One entry for all of a campaign's mails. A search lists each by itself.",
    }),
  ),
})
export type CapturedBrowse = Static<typeof CapturedBrowse>

export const CapturedBrowseDeletion = Type.Object({
  ...browsed,
  id: Type.Optional(Type.String({ format: 'uuid', description: 'This mail alone.' })),
})

const BrowsedEntry = Type.Object({
  ...entryFields,
  workspace: Type.String(),
  read: Type.Boolean({ description: 'Somebody opened it on a page.' }),
  campaign: objectOrNull({ id: Type.String(), name: Type.String() }),
  mails: Type.Integer({ minimum: 1, description: 'How many mails the entry stands for.' }),
  unread: Type.Integer({ minimum: 0, description: 'How many of them nobody has opened.' }),
})
export type BrowsedEntry = Static<typeof BrowsedEntry>

const count = Type.Integer({ minimum: 0 })

export const CapturedState = Type.Object({
  ...listOf(BrowsedEntry).properties,
  cursor: Type.String(),
  captures: Type.Boolean({ description: 'Whether mail of this workspace is captured now.' }),
  /**
   * Of the newest mails that a search reads. Null on a further page, and where the operator lists
   * all workspaces.
   */
  counts: objectOrNull({
    all: count,
    unread: count,
    tests: count,
    confirmations: count,
    campaigns: count,
  }),
  sender: Text.orNull({ description: 'An address to send the first mail from.' }),
  /** Null on a workspace's page. */
  operator: objectOrNull({
    workspaces: Type.Array(Type.String(), { description: 'Slugs, 200 at most.' }),
    by_token: Type.Boolean({ description: 'This browser gave the token, and can sign out.' }),
  }),
})

export const CapturedMailOfMembers = Type.Object({
  ...mailFields,
  workspace: Type.String(),
  read: Type.Boolean(),
  error: Text.orNull({ description: 'Why its recipient has not got it.' }),
})

const CapturedRead = Type.Object({
  object: Type.Literal('captured_mail'),
  read: Type.Integer({ minimum: 0, description: 'How many nobody had opened before.' }),
})

const params = Type.Object({ id: Type.String() })
const captured = operationsOf({ ...ofMembers, tag: 'E-mails', params })

export const capturedOperations = {
  markCapturedRead: captured.post('/api/v1/captured/read', CapturedRead, {
    summary: 'Mark captured mails as read',
    description: 'For all members: what one has opened is not new to the others.',
    role: 'viewer',
    query: OfOperator,
    body: Type.Object({
      ids: Type.Array(Type.String({ format: 'uuid' }), {
        minItems: 1,
        maxItems: limits.pageMax,
      }),
    }),
  }),
  getCapturedHtml: captured.get('/api/v1/captured/{id}/html', fileAnswer, {
    summary: "Show a captured mail's html",
    description: 'For a frame that runs nothing.',
    query: Type.Object({ ...ofWorkspace, images: Text.optional() }),
  }),
  getCapturedRaw: captured.get('/api/v1/captured/{id}/raw', fileAnswer, {
    summary: 'Download a captured mail',
    description: 'The bytes that would have left.',
    query: OfOperator,
  }),
  getCapturedFile: captured.get('/api/v1/captured/{id}/files/{position}', fileAnswer, {
    summary: 'Download an attachment of a captured mail',
    description: 'As it was in the mail.',
    params: Type.Object({ id: Type.String(), position: Type.String() }),
    query: OfOperator,
  }),
}
