/**
 * Defines captured mails as programs read and await them, while nothing of their workspace is
 * delivered for real.
 */
import { limits } from './limits.ts'
import { DateTime, PageQuery, Text, Type, listOf, named, nullable, type Static } from './schema.ts'
import { cursor, mailbox } from './text-rules.ts'

const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'

export const entryFields = {
  object: Type.Literal('captured_mail'),
  id: Type.String({ format: 'uuid', examples: [exampleId] }),
  recipient: Type.String({
    description: 'The recipient of this envelope: each one has a mail of its own.',
    examples: ['camille@example.com'],
  }),
  from: Type.String({ examples: ['Demo <hello@demo.test>'] }),
  subject: Type.String({ examples: ['Your code is 482913'] }),
  size: Type.Integer({ description: 'Bytes of the whole mail.', examples: [2_048] }),
  status: Type.String({ description: 'That of its recipient.', examples: ['delivered'] }),
  captured_at: DateTime,
  message: Text.orNull({
    description: 'Its page in the log; null for mail of our own, such as a request to confirm.',
  }),
}

export const CapturedEntry = named('CapturedEntry', entryFields)
export type CapturedEntry = Static<typeof CapturedEntry>

export const MailLink = Type.Object({
  address: Type.String({ examples: ['https://example.com/welcome'] }),
  text: Type.String({ description: 'Its text; empty: it has only its address.' }),
  leads_to: Text.orNull({
    description: 'Of a tracked link: where it leads. Following it counts as a click.',
  }),
})
export type MailLink = Static<typeof MailLink>

export const HeaderLine = Type.Object({
  name: Type.String({ examples: ['Subject'] }),
  value: Type.String({ description: 'As it stands, unfolded.' }),
  decoded: Text.orNull({
    description: 'As people read it (RFC 2047); null where that is the same.',
  }),
})

/** What a captured mail is, in the order of the pages. */
export const capturedKinds = ['all', 'unread', 'tests', 'confirmations', 'campaigns'] as const
export type CapturedKind = (typeof capturedKinds)[number]

/** Facts that decide whether a mail is shown whole, and lands where it should. */
export const MailChecks = Type.Object({
  html_bytes: nullable(
    Type.Integer({
      description: 'Of the HTML part: Gmail cuts one of more than 102 KB. Null: there is none.',
      examples: [18_204],
    }),
  ),
  images: Type.Integer({ examples: [2] }),
  images_without_alt: Type.Integer({
    description: 'Those that have no `alt`; an empty one means that the image is decorative.',
    examples: [0],
  }),
  dkim_domain: Text.orNull({
    description: 'The domain of the DKIM signature: that of `From` if one is. Null: not signed.',
    examples: ['demo.test'],
  }),
  dkim_aligned: Type.Boolean({
    description: 'The signing domain is that of `From`, or one above it (RFC 9989).',
  }),
  list_unsubscribe: Type.Boolean({ description: 'It has `List-Unsubscribe`.' }),
  one_click: Type.Boolean({ description: 'And in one click (RFC 8058).' }),
})
export type MailChecks = Static<typeof MailChecks>

export const mailFields = {
  ...entryFields,
  return_path: Type.String({ examples: ['hello@demo.test'] }),
  readable: Type.Boolean({
    description: 'False: its parts cannot be read; the raw mail can still be downloaded.',
  }),
  text: Text.orNull({ description: 'The text part.' }),
  html: Text.orNull({ description: 'The HTML part as it was sent.' }),
  has_html: Type.Boolean(),
  otp: Text.orNull({
    description:
      'A code to type: the one group of 4 to 8 digits that stands alone, or the one nearest to the word "code"; null where that leaves none.',
    examples: ['482913'],
  }),
  links: Type.Array(MailLink, {
    description: 'Of the HTML part, else of the text: each address once, 100 at most.',
  }),
  headers: Type.Array(HeaderLine),
  checks: nullable(MailChecks),
  files: Type.Array(
    Type.Object({
      position: Type.Integer(),
      name: Text.orNull(),
      type: Type.String(),
      size: Type.Integer(),
      content: Text.orNull({
        description: `In base64; null where the files of the mail have more than ${limits.capturedFilesBytesMax / 1024 / 1024} MB together.`,
      }),
    }),
  ),
}

export const CapturedMail = named('CapturedMail', mailFields)
export type CapturedMail = Static<typeof CapturedMail>

/** A cursor names the mails of the last two seconds, 48 bits each, in base64 twice. */
const cursorMax = 4_000

export const capturedCursor = Text.optional({
  maxLength: cursorMax,
  ...cursor,
  description: 'The `next_cursor` of the previous answer.',
})

const isAbout = {
  to: Text.optional({
    maxLength: limits.addressMax,
    ...mailbox,
    description: 'Mails to this address, of any case.',
  }),
  subject: Text.optional({
    maxLength: limits.subjectMax,
    description: 'A part of the subject, of any case.',
  }),
  since: Text.optional({
    maxLength: cursorMax,
    ...cursor,
    description:
      'The `cursor` of an earlier answer: mails that were not there then. Or the `id` of a mail: those captured after it.',
  }),
}

export const CapturedQuery = Type.Object({
  ...PageQuery.properties,
  cursor: capturedCursor,
  ...isAbout,
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.capturedWaitSecondsMax,
      default: 0,
      description:
        'Seconds that the call waits while no mail matches. It answers as soon as one does.',
    }),
  ),
})
export type CapturedQuery = Static<typeof CapturedQuery>

export const CapturedList = Type.Object(
  {
    ...listOf(CapturedEntry).properties,
    cursor: Type.String({
      description:
        'Stands for the moment of this answer: give it as `since` to read only mails that were not there then.',
    }),
  },
  { $id: 'CapturedList' },
)

export const CapturedParams = Type.Object({
  id: Type.String({ description: 'The id that the list answered.', examples: [exampleId] }),
})

export const CapturedDeletion = Type.Object(isAbout)

export const CapturedDeleted = named('CapturedDeleted', {
  object: Type.Literal('captured_mail'),
  deleted: Type.Integer({
    minimum: 0,
    maximum: limits.capturedDeletedMax,
    description: 'How many were deleted.',
    examples: [1],
  }),
  has_more: Type.Boolean({ description: 'More may match: call again.', examples: [false] }),
})
