/**
 * Defines the fields of a campaign that people set, each once. The contract's schemas, the
 * statements' columns, the draft and the answers derive from this table (docs/decisions/0043).
 */
import { CampaignBlocks } from './campaign-content.ts'
import { limits } from './limits.ts'
import { Text, Type, oneOf, optionalOrNull, type Static, type TSchema } from './schema.ts'
import { mailbox, straightLine } from './text-rules.ts'
import { addressesForReplies } from './emails.ts'

/** The length of what users note on a campaign for each other. */
export const noteMax = 500

/** The kind of its content; `kind` in the answer. */
export const campaignKinds = ['text', 'content', 'html'] as const
export type CampaignKind = (typeof campaignKinds)[number]

/** A field names the places where it occurs: it does not occur where the part is absent. */
interface CampaignField {
  /**
   * The column of table `campaign`. Absent if it is stored by other fields, as `from` is by
   * `fromName` and `fromEmail`.
   */
  column?: string
  /** The value as it is stored and answered. */
  value?: TSchema
  /**
   * The value of a new draft, stored and typed. An empty text is stored as `blank`, and null is
   * typed as an empty text.
   */
  blank?: unknown
  /** Who reads it in answers: every caller of the API, or only users in their workspace. */
  readers?: 'all' | 'users'
  /** In the body of POST /campaigns. */
  request?: TSchema
  /** In the editor, where it may be unfinished. */
  typed?: TSchema
  /** A draft without it cannot be sent. */
  needed?: true
  /**
   * It is no part of the mail: `annotateCampaign` changes it in any state, and a duplicate begins
   * without it. All other fields are the mail: they change in a draft, version by version, and a
   * send freezes them.
   */
  annotation?: true
}

export const campaignFields = {
  name: {
    column: 'name',
    value: Type.String({ examples: ['November news'] }),
    blank: '',
    readers: 'all',
    request: Type.String({
      minLength: 1,
      maxLength: limits.campaignNameMax,
      ...straightLine,
      description: 'For you: recipients do not see it.',
    }),
    typed: Type.String({ maxLength: limits.campaignNameMax }),
    needed: true,
  },
  subject: {
    column: 'subject',
    value: Type.String({ examples: ['What is new in November'] }),
    blank: '',
    readers: 'all',
    request: Type.String({
      minLength: 1,
      maxLength: limits.subjectMax,
      ...straightLine,
      description: 'May hold merge tags.',
    }),
    typed: Type.String({ maxLength: limits.subjectMax }),
    needed: true,
  },
  preheader: {
    column: 'preheader',
    value: Text.orNull(),
    blank: null,
    readers: 'all',
    request: Text.optionalOrNull({
      maxLength: limits.preheaderMax,
      ...straightLine,
      description: 'The text after the subject in lists of mails.',
    }),
    typed: Type.String({ maxLength: limits.preheaderMax }),
  },
  from: {
    value: Text.orNull({ description: 'As the header shows it; null while there is no sender.' }),
    blank: null,
    readers: 'all',
    request: Text.optionalOrNull({
      minLength: limits.addressMin,
      maxLength: limits.addressMax,
      ...mailbox,
      description: 'A sender of the workspace, on a verified domain; absent: its default sender.',
    }),
    typed: Text.orNull({
      maxLength: limits.addressMax,
      description: 'A sender of the workspace; null: its default sender.',
    }),
  },
  fromName: { column: 'from_name', value: Text.orNull(), blank: null, readers: 'all' },
  /** Null if it has no sender yet. */
  fromEmail: { column: 'from_email', value: Text.orNull(), blank: null, readers: 'all' },
  replyTo: {
    column: 'reply_to',
    value: Type.Array(Type.String({ examples: ['help@demo.test'] })),
    blank: [],
    request: optionalOrNull(addressesForReplies('Where answers go; absent: to the sender.')),
    typed: Type.Array(Type.String({ maxLength: limits.addressMax }), {
      maxItems: limits.replyToMax,
      description: 'Where answers go; empty: to the sender.',
    }),
  },
  kind: { column: 'format', value: oneOf(campaignKinds), typed: oneOf(campaignKinds) },
  /** The content as `validateContent` answered it: a text, the list of blocks, or a document. */
  source: { column: 'source', value: Type.Unknown() },
  text: {
    blank: '',
    request: Text.optionalOrNull({
      maxLength: limits.bodyMax,
      description:
        'A blank line divides two paragraphs; `# ` at the start of a line makes a heading. Other Markdown is sent as it is typed.',
    }),
    typed: Type.String({ maxLength: limits.bodyMax }),
  },
  content: {
    blank: [],
    request: optionalOrNull(CampaignBlocks),
    typed: Type.Array(Type.Object({ type: Type.Unknown() }), {
      description: 'Blocks, complete or not.',
    }),
  },
  html: {
    blank: '',
    request: Text.optionalOrNull({
      maxLength: limits.bodyMax,
      description: 'A document of your own, made safe.',
    }),
    typed: Type.String({ maxLength: limits.bodyMax }),
  },
  trackOpens: {
    column: 'track_opens',
    value: Type.Boolean(),
    blank: true,
    request: optionalOrNull(
      Type.Boolean({
        description: "Whether opens are tracked, by a pixel. Absent: the workspace's setting.",
      }),
    ),
    typed: Type.Boolean(),
  },
  trackClicks: {
    column: 'track_clicks',
    value: Type.Boolean(),
    blank: true,
    request: optionalOrNull(
      Type.Boolean({
        description:
          "Whether clicks are tracked: links then lead by us. Absent: the workspace's setting.",
      }),
    ),
    typed: Type.Boolean(),
  },
  internalNote: {
    column: 'internal_note',
    value: Text.orNull({
      maxLength: noteMax,
      description: 'For those who work on it: it stands in no mail.',
    }),
    blank: null,
    readers: 'users',
    annotation: true,
  },
} satisfies Record<string, CampaignField>

type Fields = typeof campaignFields
type Names<Where> = { [N in keyof Fields]: Fields[N] extends Where ? N : never }[keyof Fields]
type PartOf<Part extends keyof CampaignField, Where> = {
  [N in Names<Where & Record<Part, unknown>>]: Fields[N] extends Record<Part, infer Value>
    ? Value
    : never
}

/**
 * Returns one part of all fields that have it, by field; with `where`, of those whose other parts
 * are these.
 */
export function partOf<
  Part extends keyof CampaignField,
  const Where extends Partial<CampaignField> = object,
>(part: Part, where?: Where): PartOf<Part, Where> {
  const table: [string, CampaignField][] = Object.entries(campaignFields)
  const fields = table.filter(([, field]) =>
    entriesOf(where ?? {}).every(([name, value]) => field[name] === value),
  )
  const result = fields.flatMap(([name, field]) =>
    field[part] === undefined ? [] : [[name, field[part]] as const],
  )
  return Object.fromEntries(result) as PartOf<Part, Where>
}

const entriesOf = (where: Partial<CampaignField>) =>
  Object.entries(where) as [keyof CampaignField, unknown][]

/** Returns those of the values that `fields` names, in its order. */
export const onlyFields = <Values extends object, Wanted extends object>(
  values: Values,
  fields: Wanted,
) =>
  Object.fromEntries(
    Object.keys(fields).flatMap((name) =>
      Object.hasOwn(values, name) ? [[name, Reflect.get(values, name)]] : [],
    ),
  ) as Pick<Values, keyof Values & keyof Wanted>

type Stored<Field extends keyof Fields> = {
  [N in Field]: Fields[N] extends { value: infer Value extends TSchema } ? Static<Value> : never
}

type Column = Names<Record<'column', string>>

/** All fields as they are stored. */
export type StoredCampaign = Stored<Column>
/** Those that a draft changes and a send freezes. */
export type CampaignMail = Stored<Exclude<Column, Names<{ annotation: true }>>>
