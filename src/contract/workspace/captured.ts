/** Defines captured mails of a workspace, which the capture provider stores instead of sending. */
import { fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, PageQuery, Text, Type, listOf, type Static } from '../schema.ts'

const entryFields = {
  object: Type.Literal('captured_mail'),
  id: Type.String({ format: 'uuid' }),
  recipient: Type.String(),
  from: Type.String(),
  subject: Type.String(),
  size: Type.Integer(),
  status: Type.String(),
  captured_at: DateTime,
  message: Text.orNull({
    description: 'Its page in the log; null for mail of our own, such as a request to confirm.',
  }),
}

const CapturedEntry = Type.Object(entryFields)
export type CapturedEntry = Static<typeof CapturedEntry>

export const MailLink = Type.Object({
  address: Type.String(),
  text: Type.String({ description: 'Its text; empty: it has only its address.' }),
  leads_to: Text.orNull({
    description: 'Of a tracked link: where it leads. Following it counts as a click.',
  }),
})
export type MailLink = Static<typeof MailLink>

export const HeaderLine = Type.Object({
  name: Type.String(),
  value: Type.String({ description: 'As it stands, unfolded.' }),
  decoded: Text.orNull({
    description: 'As people read it (RFC 2047); null where that is the same.',
  }),
})

const CapturedDetail = Type.Object({
  ...entryFields,
  return_path: Type.String(),
  readable: Type.Boolean({
    description: 'False: its parts cannot be read; the raw mail can still be downloaded.',
  }),
  text: Text.orNull(),
  has_html: Type.Boolean(),
  links: Type.Array(MailLink),
  headers: Type.Array(HeaderLine),
  files: Type.Array(
    Type.Object({
      position: Type.Integer(),
      name: Text.orNull(),
      type: Type.String(),
      size: Type.Integer(),
    }),
  ),
})

const CapturedState = Type.Object({
  ...listOf(CapturedEntry).properties,
  captures: Type.Boolean({ description: 'Whether mail of this workspace is captured now.' }),
})

const params = Type.Object({ id: Type.String() })
const captured = operationsOf({ ...ofMembers, tag: 'E-mails', params })

export const capturedOperations = {
  listCapturedMails: captured.get('/api/v1/captured', CapturedState, {
    summary: 'List captured mails',
    description: 'Newest first.',
    query: PageQuery,
  }),
  getCapturedMail: captured.get('/api/v1/captured/{id}', CapturedDetail, {
    summary: 'Read a captured mail',
    description: 'As a mail program reads it.',
  }),
  getCapturedHtml: captured.get('/api/v1/captured/{id}/html', fileAnswer, {
    summary: "Show a captured mail's html",
    description: 'For a frame that runs nothing.',
    query: Type.Object({ images: Text.optional() }),
  }),
  getCapturedRaw: captured.get('/api/v1/captured/{id}/raw', fileAnswer, {
    summary: 'Download a captured mail',
    description: 'The bytes that would have left.',
  }),
  getCapturedFile: captured.get('/api/v1/captured/{id}/files/{position}', fileAnswer, {
    summary: 'Download an attachment of a captured mail',
    description: 'As it was in the mail.',
    params: Type.Object({ id: Type.String(), position: Type.String() }),
  }),
}
