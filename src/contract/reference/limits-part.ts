/** The part of the reference about numbers: every limit of the contract, in words. */
import { limits } from '../limits.ts'
import { table } from './markdown.ts'

const limitTexts: Record<keyof typeof limits, string> = {
  requestsPerMinute: 'Requests of a key in any minute; see the `X-RateLimit-*` headers, on every answer, and `Retry-After`',
  recipientsPerMessage: 'Recipients of a message, in `to`, `cc` and `bcc` together',
  addressMin: 'Characters of an address, at least',
  addressMax: 'Characters of an address with its name, at most',
  replyToMax: 'Entries in `replyTo`',
  subjectMax: 'Characters of a subject',
  bodyMax: 'Characters of `html` and of `text`, each',
  tagsMax: 'Tags in the array form',
  tagValueMax: 'Characters of a tag value; longer ones are cut',
  idempotencyKeyMax: 'Characters of an `Idempotency-Key`',
  pageDefault: 'Entries of a page, when not said',
  pageMax: 'Entries of a page',
  batchMax: 'Messages in a batch',
  attachmentBytesMax: 'Octets of all attachments of a message, decoded',
  attachmentsMax: 'Attachments of a message',
  emailBodyBytes: 'Octets of the body of a send',
  emailTextBytes: 'Octets of `html`, `text`, headers and tags of all messages of a call',
  otherBodyBytes: 'Octets of a body elsewhere',
  jsonDepthMax: 'Levels of nesting in a body',
  jsonValuesMax: 'Values in a body, the octets of files aside',
  subscriberNameMax: "Characters of a subscriber's first and of their last name",
  subscriberTagsMax: 'Tags given to a subscriber by a call',
  subscriberTagMax: "Characters of a subscriber's tag",
  fieldValueMax: "Characters of a custom field's value",
  fieldsMax: 'Custom fields of a workspace',
  searchMax: 'Characters of what subscribers are searched by',
  campaignNameMax: "Characters of a campaign's name",
  preheaderMax: "Characters of a campaign's preheader",
  blocksMax: "Blocks of a campaign's content",
  campaignBodyBytes: 'Octets of the body of a campaign',
  scheduleDaysMax: 'Days ahead that a message can be scheduled',
  webhookNameMax: "Characters of a webhook's name",
  webhookUrlMax: "Characters of a webhook's URL",
  webhooksMax: 'Webhooks of a workspace',
  rotationHoursMax: "Hours for which a webhook's old secret may still sign",
}

export const limitsPart = (): string =>
  `## Limits

Lengths count Unicode code points.

${table(
  ['Limit', 'Number'],
  Object.entries(limitTexts).map(([name, text]) => [text, numberOf(name)]),
)}`

const numbers: Record<string, number> = limits
const numberOf = (name: string): string => (numbers[name] ?? 0).toLocaleString('en-US')
