/**
 * Converts the fields of a campaign between how they are written and how they are stored
 * (contract/campaign-fields.ts).
 */
import { onlyFields, partOf, type CampaignMail } from '../../contract/campaign-fields.ts'
import { CampaignRequest } from '../../contract/campaigns.ts'
import { TypedDraft } from '../../contract/workspace/drafts.ts'
import type { CampaignSource } from '../../mail/merge/campaign-source.ts'
import { senderOf } from '../presentation/present-campaign.ts'

/** The values of a new draft. */
export const blankFields = partOf('blank')

/** The fields of a request that are stored as they are written. */
export const requestToStored = (request: CampaignRequest) =>
  toStored(request, CampaignRequest.properties)

/** The fields of a typed draft that are stored as they are written. */
export const typedToStored = (typed: object) => toStored(typed, TypedDraft.properties)

/**
 * An absent value and an empty text are stored as the field's blank. The schemas of the fields have
 * validated the rest.
 */
function toStored<Fields extends object>(written: object, fields: Fields) {
  const stored = Object.keys(onlyFields(partOf('column'), fields)).map((name) => {
    const value: unknown = Reflect.get(written, name) ?? ''
    return [name, value === '' ? Reflect.get(blankFields, name) : value]
  })
  return Object.fromEntries(stored) as Pick<CampaignMail, keyof CampaignMail & keyof Fields>
}

/** A stored draft as its editor shows it; the content of the other kinds is empty. */
export const storedToTyped = (mail: CampaignMail): TypedDraft => ({
  ...blankDraft,
  ...linesToTyped(mail),
  ...contentToTyped(asSource(mail.source)),
})

/** The fields above the content. */
export const linesToTyped = (mail: Omit<CampaignMail, 'source'>) => ({
  ...nullsToTexts(mail),
  from: senderOf(mail),
})

/** A new draft as its editor shows it, but for its kind, which is chosen. */
export const blankDraft = { ...nullsToTexts(blankFields), from: null }

/** Fields that are typed, null as an empty text. */
function nullsToTexts<Values extends object>(values: Values) {
  const typed = Object.entries(onlyFields(values, TypedDraft.properties)).map(([name, value]) => [
    name,
    value ?? '',
  ])
  return Object.fromEntries(typed) as Pick<TypedDraft, keyof TypedDraft & keyof Values>
}

function contentToTyped(source: CampaignSource): Partial<TypedDraft> {
  switch (source.kind) {
    case 'text':
      return { text: source.text }
    case 'content':
      return { content: source.blocks }
    case 'html':
      return { html: source.html }
    default:
      return source satisfies never
  }
}

/** We stored the result of `validateContent`, so it has this shape. */
export const asSource = (stored: unknown): CampaignSource => stored as CampaignSource
