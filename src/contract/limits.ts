/** Defines every limit of the contract, once (spec: Limits; semantics 4). Lengths are in code points unless said otherwise. */
export const limits = {
  requestsPerMinute: 600,
  recipientsPerMessage: 50,
  addressMin: 3,
  addressMax: 320,
  replyToMax: 10,
  subjectMax: 998,
  bodyMax: 400_000,
  tagsMax: 10,
  /** Tags of a message in the object form. */
  tagsObjectMax: 50,
  tagNameMax: 256,
  tagValueMax: 256,
  idempotencyKeyMax: 200,
  pageDefault: 50,
  pageMax: 100,
  /** Bytes of a page's entries: a page ends before the entry that would exceed them, but has at least one. */
  pageBytesMax: 4 * 1024 * 1024,
  batchMax: 100,
  /** Decoded bytes of all attachments of a message. */
  attachmentBytesMax: 20 * 1024 * 1024,
  attachmentsMax: 100,
  /** Bytes of a request body on /emails and /emails/batch: attachments travel in base64. */
  emailBodyBytes: 30 * 1024 * 1024,
  /** Bytes of html, text, headers and tags, of all messages of a call. */
  emailTextBytes: 10 * 1024 * 1024,
  /** Bytes of a request body elsewhere. */
  otherBodyBytes: 256 * 1024,
  jsonDepthMax: 20,
  /** Values in a body, not counting the bytes of files. */
  jsonValuesMax: 200_000,
  subscriberNameMax: 120,
  subscriberTagsMax: 20,
  /** Tags of a subscriber in all, from every source. */
  subscriberTagsInAllMax: 200,
  subscriberTagMax: 60,
  /** Value of a custom field. */
  fieldValueMax: 500,
  /** Custom fields that a workspace defines. */
  fieldsMax: 100,
  searchMax: 320,
  campaignNameMax: 120,
  preheaderMax: 255,
  /** Blocks of a campaign's content. */
  blocksMax: 200,
  /** Bytes of a request body on POST /campaigns: images travel as addresses. */
  campaignBodyBytes: 6 * 1024 * 1024,
  /** API keys of a workspace that are neither revoked nor expired. */
  apiKeysMax: 1_000,
  sendersMax: 1_000,
  domainsMax: 1_000,
  formsMax: 1_000,
  /** Campaigns of a workspace that are still drafts. */
  draftsMax: 10_000,
  imagesMax: 10_000,
  membersMax: 1_000,
  /** Sessions of a user; a further one ends the one that was unused longest. */
  sessionsMax: 100,
  webhookNameMax: 80,
  webhookUrlMax: 2_048,
  /** Webhooks of a workspace. */
  webhooksMax: 20,
  /** How long the old secret of a webhook may still sign, in hours. */
  rotationHoursMax: 168,
  /** How far ahead a message may be scheduled, in days. */
  scheduleDaysMax: 365,
} as const

/** The window that requests are counted in (spec: Limits). */
export const rateWindowSeconds = 60
