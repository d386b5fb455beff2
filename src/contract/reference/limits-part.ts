/** Writes the reference's part on limits: every limit of the contract, in words. */
import { limits, limitTable, type LimitName } from '../limits.ts'
import { operationIds, operations, type OperationId } from '../operations.ts'
import { approvalMailsDayMax } from '../workspace/campaign-approval.ts'
import { audiencePartsMax } from '../workspace/campaign-audience.ts'
import { audienceLimits } from '../workspace/audience-limits.ts'
import { segmentLimits } from '../workspace/segment-limits.ts'
import { bulkLimits } from '../workspace/bulk-limits.ts'
import { imageLimits } from '../workspace/images.ts'
import { userLimits } from '../workspace/user-schemas.ts'
import { settingLimits } from '../workspace/setting-limits.ts'
import { table } from './markdown.ts'

export const limitsPart = (): string =>
  `## Limits

Lengths count Unicode code points.

${table(
  ['Limit', 'Number'],
  Object.values(limitTable).map(([limit, text]) => [text, limit.toLocaleString('en-US')]),
)}`

/** `docs/limits.md`: the same table, and limits that are not in the contract. */
export const limitsPage = (): string => `# Limits

The limits of everything that a caller can make grow. The first table is made from \`src/contract/limits.ts\`; whatever exceeds a bound is refused with 422
and the number, unless it says otherwise.

${limitsPart().replace('## Limits', '## Numbers of the interface')}

## Limits that follow from them

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
    [
      'Fields of a subscriber',
      `${limits.fieldsMax} keys in a workspace, ${limits.fieldValueMax} characters each; a choice has ${audienceLimits.fieldChoicesMax} of ${audienceLimits.fieldChoiceMax} characters`,
    ],
    [
      'An event, the body of a webhook call',
      'Bounded by the message or the subscriber that it is about',
    ],
    ['Log of attempts of a webhook delivery', '50 attempts; the oldest is dropped'],
    [
      'A page of a list with a cursor',
      `${limits.pageMax} entries and ${limits.pageBytesMax / 1024 / 1024} MB: it ends early, \`has_more\` is true and \`next_cursor\` goes on. An entry that is larger by itself, which only older versions let in, is a page of its own`,
    ],
    [
      'Unknown keys of a body',
      'Ignored whatever they hold, within the bytes and the values of the whole body',
    ],
    ['Request line and headers, with query and cookies', '16,384 bytes together'],
    ['Messages in a batch of MCP', '20'],
    [
      'Names of tags in a workspace',
      'Those of its subscribers; the first 10,000 are searched, 50 are listed',
    ],
    ['Audit entries', 'One for each act of a person or of the command line; read by pages'],
    [
      'Log of calls',
      'One entry for each call with a key; where calls come very fast, one entry stands for several. Deleted after some days',
    ],
  ],
)}

## Bounds of what can be created

Other operations add nothing that lasts. A caller without a key or a session is counted by address, of IPv6 by its /64.

${table(['Operation', 'Bound'], growthRows())}
`

type Creating = {
  [Id in OperationId]: (typeof operations)[Id]['method'] extends 'POST' ? Id : never
}[OperationId]

/** An operation that creates nothing lasting. */
const nothing = null
const sending = 'The rate of the key, and the quota of the plan'
const steering = nothing
const bulkChanges = `${bulkLimits.unfinishedMax} that have not ended, ${bulkLimits.ofOneMax} of one contact each, and ${bulkLimits.exportsMax} files in ${bulkLimits.downloadMinutes} minutes; their contacts are stored until they are worked off, and those of a file for an hour at most`

/** The limit on what each POST creates. An operation without an entry does not compile. */
const growth: Record<Creating, string | null> = {
  sendEmail: sending,
  sendEmailBatch: sending,
  sendMessageAgain: sending,
  sendDraftTest: sending,
  cancelEmail: nothing,
  cancelSelectedEmails: nothing,
  markCapturedRead: nothing,
  addSubscriber:
    'The rate of the key; what each subscriber holds is bounded, and a consent is added when one is given',
  addSubscriberBatch: `The rate of the key, where each entry is one request; confirmations wait ${limits.confirmationHoursMax} hours at most`,
  createSubscriberImport: `${audienceLimits.importFilesMax} files of ${limits.subscriberImportBytes / 1024 / 1024} MB, for a day at most, and the people of each`,
  addSuppression: 'An entry for each address',
  liftSuppression: nothing,
  liftSelectedSuppressions: nothing,
  liftMatchingSuppressions: nothing,
  importSuppression: 'One file of a workspace at a time; the last 20 are listed',
  createCampaign: `${number('draftsMax')} drafts`,
  deleteSelectedDrafts: nothing,
  createDraft: `${number('draftsMax')} drafts`,
  duplicateCampaign: `${number('draftsMax')} drafts`,
  saveDraft: `A copy that is kept beside it counts: ${number('draftsMax')} drafts`,
  sendCampaign: sending,
  setCampaignAudience: `${audiencePartsMax} tags and ${audiencePartsMax} exclusions of a campaign`,
  scheduleCampaign: steering,
  undoCampaignSend: steering,
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
  replaySelectedDeliveries: nothing,
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
  createSegment: `${number('segmentsMax')} segments; a process remembers ${segmentLimits.recentMax} counts of them for ${segmentLimits.recentSeconds / 60} minutes`,
  countSegment: nothing,
  tagContacts: bulkChanges,
  untagContacts: bulkChanges,
  setContactsField: bulkChanges,
  unsubscribeContacts: bulkChanges,
  eraseContacts: bulkChanges,
  exportContacts: bulkChanges,
  exportCampaignRecipients: nothing,
  stopBulkChange: nothing,
  createForm: `${number('formsMax')} forms, each with ${settingLimits.formAsksMax} questions`,
  previewForm: nothing,
  defineSubscriberField: `${number('fieldsMax')} fields`,
  previewSubscriberFieldType: nothing,
  setCampaignTopic: nothing,
  askCampaignApproval: `One request of a campaign; ${approvalMailsDayMax} of a workspace are mailed in a day`,
  approveCampaign: nothing,
  createTopic: `${number('topicsMax')} topics`,
  eraseSubscriber: 'One digest for each person',
  uploadImport: `${audienceLimits.importFilesMax} files of ${audienceLimits.importFileBytes / 1024 / 1024} MB, for a day at most`,
  tryImport: nothing,
  startImport: 'The people of the file',
  stopImport: nothing,
}

function number(name: LimitName): string {
  return limits[name].toLocaleString('en-US')
}

const growthRows = (): string[][] =>
  operationIds.flatMap((id) => {
    const bounds: Partial<Record<OperationId, string | null>> = growth
    const { method, path } = operations[id]
    const bound = bounds[id] ?? null
    return bound === null ? [] : [[`\`${method} ${path.replace('/api/v1', '')}\``, bound]]
  })
