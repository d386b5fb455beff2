/** Writes the reference's part on limits: every limit of the contract, in words. */
import { limits } from '../limits.ts'
import { operationIds, operations, type OperationId } from '../operations.ts'
import { audienceLimits } from '../workspace/audience-limits.ts'
import { imageLimits } from '../workspace/images.ts'
import { userLimits } from '../workspace/user-schemas.ts'
import { settingLimits } from '../workspace/setting-limits.ts'
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
  attachmentBytesMax: 'Bytes of all attachments of a message, decoded',
  attachmentsMax: 'Attachments of a message',
  emailBodyBytes: 'Bytes of the body of a send',
  emailTextBytes: 'Bytes of `html`, `text`, headers and tags of all messages of a call',
  otherBodyBytes: 'Bytes of a body elsewhere',
  jsonDepthMax: 'Levels of nesting in a body',
  jsonValuesMax: 'Values in a body, the bytes of files aside',
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
  campaignBodyBytes: 'Bytes of the body of a campaign',
  scheduleDaysMax: 'Days ahead that a message can be scheduled',
  apiKeysMax: 'API keys of a workspace that are neither revoked nor expired',
  sendersMax: 'Senders of a workspace',
  domainsMax: 'Domains of a workspace',
  formsMax: 'Sign-up forms of a workspace',
  draftsMax: 'Draft campaigns of a workspace; those that were sent or archived do not count',
  imagesMax: 'Pictures of a workspace',
  membersMax: 'Members of a workspace',
  sessionsMax: 'Sessions of a person; a further one ends the one that was used longest ago',
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

/** `docs/limits.md`: the same table, and limits that are not in the contract. */
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
    ['An event, the body of a webhook call', 'Bounded by the message or the subscriber that it is about'],
    ['Log of attempts of a webhook delivery', '50 attempts; the oldest is dropped'],
    [
      'A page of a list with a cursor',
      `${limits.pageMax} entries and ${limits.pageBytesMax / 1024 / 1024} MB: it ends early, \`has_more\` is true and \`next_cursor\` goes on. An entry that is larger by itself, which only older versions let in, is a page of its own`,
    ],
    ['Unknown keys of a body', 'Ignored whatever they hold, within the bytes and the values of the whole body'],
    ['Request line and headers, with query and cookies', '16,384 bytes together'],
    ['Messages in a batch of MCP', '20'],
    ['Names of tags in a workspace', 'Those of its subscribers; the first 10,000 are searched, 50 are listed'],
    ['Audit entries', 'One for each act of a person or of the command line; read by pages'],
  ],
)}

## What can be created, and how much of it

What is not in this table adds nothing that lasts. A caller without a key or a session is counted by address.

${table(['Operation', 'Bound'], growthRows())}
`

type Creating = { [Id in OperationId]: (typeof operations)[Id]['method'] extends 'POST' ? Id : never }[OperationId]

/** An operation that creates nothing lasting. */
const nothing = null
const sending = 'The rate of the key, and the quota of the plan'
const steering = nothing

/** The limit on what each POST creates. An operation without an entry does not compile. */
const growth: Record<Creating, string | null> = {
  sendEmail: sending,
  sendEmailBatch: sending,
  sendMessageAgain: sending,
  sendDraftTest: sending,
  cancelEmail: nothing,
  addSubscriber: 'The rate of the key; what each subscriber holds is bounded, and a consent is added when one is given',
  enrolSubscriber: 'The rate of the session; what each subscriber holds is bounded',
  addSuppression: 'An entry for each address',
  reopenAddress: nothing,
  importSuppression: 'One file of a workspace at a time; the last 20 are listed',
  createCampaign: `${number('draftsMax')} drafts`,
  createDraft: `${number('draftsMax')} drafts`,
  duplicateCampaign: `${number('draftsMax')} drafts`,
  saveDraft: `A copy that is kept beside it counts: ${number('draftsMax')} drafts`,
  sendCampaign: sending,
  launchCampaign: sending,
  scheduleCampaign: steering,
  undoCampaignLaunch: steering,
  unscheduleCampaign: steering,
  pauseCampaign: steering,
  resumeCampaign: steering,
  cancelCampaign: steering,
  archiveCampaign: steering,
  retryFailedRecipients: steering,
  releaseInDoubtRecipients: steering,
  preflightDraft: nothing,
  createWebhook: `${number('webhooksMax')} webhooks`,
  testWebhook: 'An event and an entry of the journal, which are deleted with their time',
  replayWebhookDelivery: '50 attempts are logged; the oldest is dropped',
  replayWebhookEvents: 'An entry for each event that is still stored',
  rotateWebhookSecret: 'Two secrets at once',
  addImage: `${number('imagesMax')} pictures, ${(imageLimits.allBytesMax / 1024 / 1024).toLocaleString('en-US')} MB together`,
  signIn: `${number('sessionsMax')} sessions of a person; tries are limited by address and by account`,
  signInWithPasskey: `${number('sessionsMax')} sessions of a person`,
  setUp: 'Once for an installation',
  acceptInvitation: `${number('membersMax')} members`,
  askPasskey: 'A question that expires within minutes; the rate of the address',
  askNewPasskey: 'A question that expires within minutes',
  addPasskey: `${userLimits.passkeysMax} passkeys of a person`,
  confirmIdentity: nothing,
  confirmIdentityWithPasskey: nothing,
  askForReset: 'One link of a person at a time',
  resetPassword: nothing,
  changePassword: nothing,
  beginTotp: 'One secret of a person',
  confirmTotp: nothing,
  renewRecoveryCodes: 'One set of a person',
  addWorkspace: `${userLimits.workspacesMax} workspaces of a person`,
  inviteMember: `${userLimits.invitationsOpenMax} open invitations, ${userLimits.invitationsDayMax} mailed in a day`,
  createApiKey: `${number('apiKeysMax')} keys that are neither revoked nor expired`,
  addDomain: `${number('domainsMax')} domains`,
  checkDomain: nothing,
  rotateDomainKeys: 'No other pair of keys while one waits for its records',
  addSender: `${number('sendersMax')} senders`,
  createForm: `${number('formsMax')} forms, each with ${settingLimits.formAsksMax} questions`,
  previewForm: nothing,
  defineSubscriberField: `${number('fieldsMax')} fields`,
  forgetContact: 'One digest for each person',
  uploadImport: `${audienceLimits.importFilesMax} files of ${audienceLimits.importFileBytes / 1024 / 1024} MB, for a day at most`,
  tryImport: nothing,
  startImport: 'The people of the file',
  stopImport: nothing,
}

function number(name: keyof typeof limits): string {
  return limits[name].toLocaleString('en-US')
}

const growthRows = (): string[][] =>
  operationIds.flatMap((id) => {
    const bounds: Partial<Record<OperationId, string | null>> = growth
    const { method, path } = operations[id]
    const bound = bounds[id] ?? null
    return bound === null ? [] : [[`\`${method} ${path.replace('/api/v1', '')}\``, bound]]
  })
