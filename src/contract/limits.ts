/**
 * Defines every limit of the contract, once (spec: Limits; semantics 4). Lengths are in code points
 * unless said otherwise.
 */

/** Each limit with the reference's words for it, in the reference's order. */
export const limitTable = {
  requestsPerMinute: [
    600,
    'Requests of a key in any minute; see the `X-RateLimit-*` headers, on every answer, and `Retry-After`',
  ],
  recipientsPerMessage: [50, 'Recipients of a message, in `to`, `cc` and `bcc` together'],
  addressMin: [3, 'Characters of an address, at least'],
  addressMax: [320, 'Characters of an address with its name, at most'],
  replyToMax: [10, 'Entries in `replyTo`'],
  subjectMax: [998, 'Characters of a subject'],
  bodyMax: [400_000, 'Characters of `html` and of `text`, each'],
  tagsMax: [10, 'Tags in the array form'],
  tagsObjectMax: [50, 'Tags in the object form'],
  tagNameMax: [256, 'Characters of a tag name'],
  tagValueMax: [256, 'Characters of a tag value; longer ones are cut'],
  idempotencyKeyMax: [200, 'Characters of an `Idempotency-Key`'],
  pageDefault: [50, 'Entries of a page, when not said'],
  pageMax: [100, 'Entries of a page'],
  pageBytesMax: [
    4 * 1024 * 1024,
    'Bytes of the entries of a page, which ends early and says so by its cursor; one entry is always there',
  ],
  batchMax: [100, 'Messages in a batch'],
  attachmentBytesMax: [20 * 1024 * 1024, 'Bytes of all attachments of a message, decoded'],
  attachmentsMax: [100, 'Attachments of a message'],
  attachmentPathMax: [4_096, "Characters of an attachment's `path`"],
  fetchedFilesMax: [10, 'Attachments of a message that are fetched by their `path`'],
  fetchedBytesMax: [
    25 * 1024 * 1024,
    'Bytes of all attachments of a message, decoded, where some are fetched',
  ],
  fetchSecondsMax: [10, 'Seconds for fetching all attachments of a message'],
  fetchesAtOnceMax: [2, 'Attachments of a workspace that are fetched at once, in a process'],
  fetchesPerMinute: [60, 'Attachments of a workspace that are fetched, in any minute'],
  /** Attachments travel in base64. */
  emailBodyBytes: [30 * 1024 * 1024, 'Bytes of the body of a send'],
  emailTextBytes: [
    10 * 1024 * 1024,
    'Bytes of `html`, `text`, headers and tags of all messages of a call',
  ],
  otherBodyBytes: [256 * 1024, 'Bytes of a body elsewhere'],
  strangersBodyBytes: [64 * 1024, 'Bytes of a body from a caller without a key or a session'],
  jsonDepthMax: [20, 'Levels of nesting in a body'],
  jsonValuesMax: [200_000, 'Values in a body, the bytes of files aside'],
  subscriberBatchMax: [1_000, 'Subscribers in a batch'],
  confirmationsPerMinute: [
    60,
    'Confirmations of batches and of files by key that leave in a minute, for a workspace, unless the operator sets another number',
  ],
  confirmationHoursMax: [
    24,
    'Hours ahead that these confirmations may wait; further entries of a batch and lines of a file are refused',
  ],
  subscriberNameMax: [120, "Characters of a subscriber's first and of their last name"],
  subscriberTagsMax: [20, 'Tags given to a subscriber by a call'],
  subscriberTagsInAllMax: [200, 'Tags of a subscriber in all'],
  subscriberTagMax: [60, "Characters of a subscriber's tag"],
  fieldValueMax: [500, "Characters of a custom field's value"],
  fieldsMax: [100, 'Custom fields of a workspace'],
  topicsMax: [20, 'Topics of a workspace'],
  topicNameMax: [100, "Characters of a topic's name"],
  topicDescriptionMax: [200, "Characters of a topic's description"],
  choicesHourMax: [30, 'Times an hour that a contact changes their choices'],
  contactExportMax: [10_000, 'Entries of each list in the export of a contact by a key'],
  searchMax: [320, 'Characters of what subscribers are searched by'],
  campaignNameMax: [120, "Characters of a campaign's name"],
  preheaderMax: [255, "Characters of a campaign's preheader"],
  blocksMax: [200, "Blocks of a campaign's content"],
  /** Images travel as addresses. */
  campaignBodyBytes: [6 * 1024 * 1024, 'Bytes of the body of a campaign'],
  subscriberImportBytes: [30 * 1024 * 1024, 'Bytes of the body of an import by a key'],
  subscriberBatchBytes: [6 * 1024 * 1024, 'Bytes of the body of a batch of subscribers'],
  scheduleDaysMax: [365, 'Days ahead that a message can be scheduled'],
  apiKeysMax: [1_000, 'API keys of a workspace that are neither revoked nor expired'],
  sendersMax: [1_000, 'Senders of a workspace'],
  domainsMax: [1_000, 'Domains of a workspace'],
  formsMax: [1_000, 'Sign-up forms of a workspace'],
  segmentsMax: [200, 'Segments of a workspace'],
  testRecipientsMax: [5, 'Addresses of a test of a campaign'],
  draftsMax: [
    10_000,
    'Draft campaigns of a workspace; those that were sent or archived do not count',
  ],
  imagesMax: [10_000, 'Pictures of a workspace'],
  membersMax: [1_000, 'Members of a workspace'],
  sessionsMax: [100, 'Sessions of a person; a further one ends the one that was used longest ago'],
  webhookNameMax: [80, "Characters of a webhook's name"],
  webhookUrlMax: [2_048, "Characters of a webhook's URL"],
  webhooksMax: [20, 'Webhooks of a workspace'],
  capturedWaitSecondsMax: [30, 'Seconds that a call waits for a captured mail'],
  capturedWaitsOfKeyMax: [10, 'Calls of a key that wait for a captured mail at once, in a process'],
  capturedWaitsOfWorkspaceMax: [
    25,
    'Calls of a workspace that wait for a captured mail at once, in a process',
  ],
  capturedWaitsMax: [100, 'Calls that wait for a captured mail at once, in a process'],
  capturedDeletedMax: [5_000, 'Captured mails that a call deletes'],
  capturedSearchedMax: [
    10_000,
    'Captured mails, from the newest on, that a search by address or subject reads for an answer',
  ],
  capturedSeenMax: [
    200,
    'Mails, captured within the two seconds before an answer, that its `cursor` names one by one',
  ],
  capturedFilesBytesMax: [
    3 * 1024 * 1024,
    'Bytes of the files of a captured mail that are answered with it; of larger ones, only what they are',
  ],
  rotationHoursMax: [168, "Hours for which a webhook's old secret may still sign"],
} as const satisfies Record<string, readonly [limit: number, text: string]>

export type LimitName = keyof typeof limitTable

/**
 * The number of each limit; the type says what `fromEntries` cannot: the names stay, and the
 * numbers.
 */
export const limits = Object.fromEntries(
  Object.entries(limitTable).map(([name, [limit]]) => [name, limit]),
) as {
  readonly [Name in LimitName]: (typeof limitTable)[Name][0]
}

/** The window that requests are counted in (spec: Limits). */
export const rateWindowSeconds = 60
