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
  tagsObjectMax: 'Tags in the object form',
  tagNameMax: 'Characters of a tag name',
  tagValueMax: 'Characters of a tag value; longer ones are cut',
  idempotencyKeyMax: 'Characters of an `Idempotency-Key`',
  pageDefault: 'Entries of a page, when not said',
  pageMax: 'Entries of a page',
  pageBytesMax: 'Bytes of the entries of a page, which ends early and says so by its cursor; one entry is always there',
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
  subscriberTagsInAllMax: 'Tags of a subscriber in all',
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

/** `docs/limits.md`: the same table, and the bounds that are no part of the interface's numbers. */
export const limitsPage = (): string => `# Limits

What a caller can make grow, and how far. The first table is made from \`src/contract/limits.ts\`; whatever exceeds a bound is refused with 422
and the number, unless it says otherwise.

${limitsPart().replace('## Limits', '## Numbers of the interface')}

## What follows from them

${table(
  ['Value', 'Bound'],
  [
    [
      'Tags of a message',
      `${limits.tagsMax} as a list, ${limits.tagsObjectMax} as an object; names of ${limits.tagNameMax} characters, values cut at ${limits.tagValueMax}`,
    ],
    ['Free headers of a message', '32,768 bytes of all names and values together'],
    ['Name of a file, its content type, its content id', '255, 255 and 128 characters'],
    [
      'Tags of a subscriber',
      `${limits.subscriberTagsMax} a call, ${limits.subscriberTagsInAllMax} in all, by whatever way they come. Forms add as many as there is room for; a line of an import that has too many is refused`,
    ],
    ['Fields of a subscriber', `${limits.fieldsMax} keys in a workspace, ${limits.fieldValueMax} characters each`],
    ['An event, the body of a webhook call', 'Bounded by the message or the subscriber that it tells of'],
    ['Log of attempts of a webhook delivery', '50 attempts; the oldest is dropped'],
    [
      'A page of any list',
      `${limits.pageMax} entries and ${limits.pageBytesMax / 1024 / 1024} MB: it ends early, \`has_more\` is true and \`next_cursor\` goes on. An entry that is larger by itself, which only older versions let in, is a page of its own`,
    ],
    ['Unknown keys of a body', 'Ignored whatever they hold, within the bytes and the values of the whole body'],
  ],
)}
`
