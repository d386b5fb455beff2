/**
 * Defines every operation of the interface, once. Routes, checks, types and references are derived
 * from this table.
 */
import { Account, ApiMap } from './account.ts'
import {
  Campaign,
  CampaignCreated,
  CampaignList,
  CampaignParams,
  CampaignQuery,
  CampaignRequest,
  CampaignCopy,
  CampaignDeleted,
  CampaignSchedule,
  CampaignSendQuery,
  CampaignTest,
  CampaignTested,
  CampaignUpdate,
  MemberSendQuery,
  CampaignSent,
  CampaignStats,
  foreignCampaignKeys,
  foreignScheduleKeys,
  foreignTestKeys,
} from './campaigns.ts'
import {
  BatchHeaders,
  Email,
  EmailBatch,
  EmailBatchRequest,
  EmailDetail,
  EmailList,
  EmailParams,
  EmailQuery,
  EmailReference,
  EmailRequest,
  EmailUpdate,
  IdempotencyHeaders,
  foreignEmailKeys,
  RescheduledEmail,
} from './emails.ts'
import {
  CapturedDeleted,
  CapturedDeletion,
  CapturedList,
  CapturedMail,
  CapturedParams,
  CapturedQuery,
} from './captured.ts'
import { ContactErased, ContactExport } from './contact-export.ts'
import { EventList, EventQuery } from './events.ts'
import { Stats, StatsQuery } from './stats.ts'
import {
  SubscriberImport,
  SubscriberImportList,
  SubscriberImportParams,
  SubscriberImportRequest,
} from './subscriber-imports.ts'
import {
  SubscriberBatch,
  SubscriberBatchHeaders,
  SubscriberImportHeaders,
  SubscriberBatchRequest,
} from './subscriber-batch.ts'
import { limits } from './limits.ts'
import type { Operation, OutgoingFile, Tool } from './operation.ts'
import { accepted, created, createdOrFound, operationsOf } from './operations-of.ts'
import { PageQuery, listOf, type Static, type TSchema } from './schema.ts'
import type { Scope } from './scopes.ts'
import {
  SubscriberDetail,
  SubscriberList,
  SubscriberParams,
  SubscriberQuery,
  SubscriberRequest,
  foreignSubscriberKeys,
  SubscriberResult,
  Unsubscribed,
} from './subscribers.ts'
import {
  SuppressionEntry,
  SuppressionList,
  SuppressionQuery,
  SuppressionRequest,
  SuppressionSearch,
} from './suppression.ts'
import {
  RangeReplay,
  RangeReplayRequest,
  RotationQuery,
  Webhook,
  WebhookDeleted,
  WebhookDeliveryList,
  WebhookDeliveryParams,
  WebhookDeliveryQuery,
  WebhookList,
  WebhookParams,
  WebhookQuery,
  WebhookReplay,
  WebhookRequest,
  WebhookTest,
  WebhookUpdate,
  WebhookWithSecret,
} from './webhooks.ts'
import { approvalRuleOperations } from './workspace/approval-rule.ts'
import { campaignApprovalOperations } from './workspace/campaign-approval.ts'
import { campaignAudienceOperations } from './workspace/campaign-audience.ts'
import { CampaignRun, campaignRunOperations } from './workspace/campaign-run.ts'
import { campaignRecipientOperations } from './workspace/campaign-recipients.ts'
import { campaignResultOperations } from './workspace/campaign-results.ts'
import {
  CampaignSearch,
  DraftPreflight,
  FoundCampaign,
  draftOperations,
} from './workspace/drafts.ts'
import { imageOperations } from './workspace/images.ts'
import { apiKeyOperations } from './workspace/api-keys.ts'
import { domainReportOperations } from './workspace/domain-reports.ts'
import { domainOperations, keyDomainOperations } from './workspace/domains.ts'
import { topicOperations } from './topics.ts'
import { campaignTopicOperations } from './workspace/campaign-topic.ts'
import { formOperations } from './workspace/forms.ts'
import { AudienceQuery, SubscriberByHand, audienceOperations } from './workspace/audience.ts'
import { audienceListOperations } from './workspace/audience-list.ts'
import { segmentOperations } from './workspace/segments.ts'
import { bulkChangeOperations } from './workspace/bulk-changes.ts'
import { EmailByHand } from './workspace/email-by-hand.ts'
import { importOperations } from './workspace/imports.ts'
import { installationOperations } from './workspace/installation.ts'
import { overviewOperations } from './workspace/overview.ts'
import {
  CapturedBrowse,
  CapturedBrowseDeletion,
  CapturedMailOfMembers,
  CapturedState,
  OfOperator,
  capturedOperations,
} from './workspace/captured.ts'
import { messageOperations } from './workspace/messages.ts'
import { suppressionOperations } from './workspace/suppression.ts'
import { suppressionTableOperations } from './workspace/suppression-table.ts'
import { auditOperations } from './workspace/audit.ts'
import { memberOperations } from './workspace/members.ts'
import { myAccountOperations } from './workspace/my-account.ts'
import { signInOperations } from './workspace/sign-in.ts'
import { userLinkOperations } from './workspace/user-links.ts'
import { contactOperations } from './workspace/contacts.ts'
import { senderOperations } from './workspace/senders.ts'
import { retentionOperations } from './workspace/retention.ts'
import { requestCountOperations, requestOperations } from './workspace/requests.ts'
import { settingsOperations } from './workspace/settings.ts'
import { webhookOperations } from './workspace/webhooks.ts'

const reads = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
} as const satisfies Tool
const adds = {
  readOnly: false,
  destructive: false,
  idempotent: false,
  openWorld: false,
} as const satisfies Tool
const closes = {
  readOnly: false,
  destructive: true,
  idempotent: true,
  openWorld: false,
} as const satisfies Tool

/** One part of the API: reading needs the first permission, everything else the second. */
const partOfApi = <const Group extends Partial<Operation>>(
  group: Group,
  read: Scope,
  write = read,
) => ({
  ...operationsOf({ entry: 'api', scope: write, ...group }),
  get: operationsOf({ entry: 'api', scope: read, ...group }).get,
})
const workspace = operationsOf({ entry: 'api', tag: 'Workspace' })
const emails = partOfApi({ tag: 'E-mails', params: EmailParams }, 'emails:send')
const subscribers = partOfApi(
  { tag: 'Subscribers', params: SubscriberParams },
  'subscribers:read',
  'subscribers:write',
)
const suppression = partOfApi({ tag: 'Suppression' }, 'subscribers:read', 'subscribers:write')
const campaigns = partOfApi(
  { tag: 'Campaigns', params: CampaignParams },
  'campaigns:read',
  'campaigns:write',
)
const webhooks = partOfApi(
  { tag: 'Webhooks', params: WebhookParams },
  'webhooks:read',
  'webhooks:write',
)

const captured = partOfApi(
  { tag: 'E-mails', params: CapturedParams },
  'captured:read',
  'captured:write',
)

/** The answer of a send, which a repeated call repeats. */
const once = <S extends TSchema>(schema: S) =>
  ({
    ...accepted(schema),
    headers: {
      'Idempotent-Replay':
        '`true` when the answer repeats an earlier one and nothing more was sent.',
    },
  }) as const
const changedOnce = {
  'Idempotent-Replay':
    '`true` when the answer repeats an earlier one and nothing more was changed.',
}
/** The answers of calls whose work is done or begun, which a repeated call repeats. */
const onceDone = <S extends TSchema>(schema: S) =>
  ({ status: 200, schema, headers: changedOnce }) as const
const onceBegun = <S extends TSchema>(schema: S) =>
  ({ ...accepted(schema), headers: changedOnce }) as const
const sendErrors = [
  'quota_exceeded',
  'reputation_blocked',
  'idempotency_key_reused',
  'unverified_from_domain',
  'suppressed_recipient',
  'send_failed',
] as const

/** The operations for API keys. */
const apiOperations = {
  getApiMap: workspace.get('/api/v1', ApiMap, {
    scope: 'none',
    summary: 'Map of the API',
    description: 'Entry points, permissions and where the documentation is. Needs no key.',
  }),
  getAccount: workspace.get('/api/v1/me', Account, {
    scope: null,
    summary: 'The workspace of the key',
    description:
      'Workspace, permissions, plan and what is left of it, verified domains, senders, state of sending.',
    tool: {
      ...reads,
      advice:
        'Call it first: it changes nothing, and shows what the key may do and what is left of the quota.',
    },
  }),
  getStats: workspace.get('/api/v1/stats', Stats, {
    scope: 'campaigns:read',
    summary: 'Read the figures of each day',
    description:
      'The mails of the workspace, single ones and those of campaigns, by the day on which they were accepted and by what became ' +
      'of them, as the overview counts them. Days are of the workspace’s time zone. Of the last thirty days; earlier ones are not answered. Opens and clicks are those of a ' +
      'campaign and of a message.',
    query: StatsQuery,
  }),
  sendEmail: emails.post('/api/v1/emails', once(Email), {
    summary: 'Send a message',
    description:
      'One message to 1 to 50 recipients. Accepted means stored and on its way; read its outcome later. ' +
      'A suppressed recipient refuses the whole call.',
    headers: IdempotencyHeaders,
    body: EmailRequest,
    members: { body: EmailByHand },
    rewritten: ['tags'],
    foreign: foreignEmailKeys,
    bodyBytesMax: limits.emailBodyBytes,
    errors: sendErrors,
    tool: {
      ...{ readOnly: false, destructive: true, idempotent: false, openWorld: true },
      aliases: ['reply_to'],
      advice: 'Irreversible. Give an `idempotency_key`, so that a repeated call cannot send twice.',
    },
  }),
  sendEmailBatch: emails.post('/api/v1/emails/batch', once(EmailBatch), {
    summary: 'Send up to 100 messages',
    description:
      'All or nothing: one message that breaks a rule refuses the call. Once the call is accepted each message has its own end. ' +
      'One Idempotency-Key stands for the whole.',
    headers: BatchHeaders,
    body: EmailBatchRequest,
    rewritten: ['tags'],
    foreign: foreignEmailKeys,
    bodyBytesMax: limits.emailBodyBytes,
    errors: sendErrors,
  }),
  listEmails: emails.get('/api/v1/emails', EmailList, {
    summary: 'List messages',
    description: 'Newest first, with filters by status, recipient, tag and date.',
    query: EmailQuery,
  }),
  getEmail: emails.get('/api/v1/emails/{id}', EmailDetail, {
    summary: 'Read a message',
    description: 'The message and what became of it, for each recipient.',
    tool: reads,
  }),
  updateEmail: emails.patch('/api/v1/emails/{id}', RescheduledEmail, {
    summary: 'Move a scheduled message',
    description: 'Sets another time for a message that has not begun to leave.',
    body: EmailUpdate,
    errors: ['conflict'],
  }),
  cancelEmail: emails.post('/api/v1/emails/{id}/cancel', EmailReference, {
    summary: 'Cancel a scheduled message',
    description: 'Stops a scheduled message that has not begun to leave; its quota is given back.',
    errors: ['conflict'],
  }),
  listCapturedMails: captured.get('/api/v1/captured', CapturedList, {
    summary: 'List captured mails, or wait for one',
    description:
      'Newest first. What matches is answered at once; with `wait`, a call that finds nothing answers when a mail comes, or ' +
      'empty when the time is over. 404 while a provider of the workspace delivers for real. Mails that give access to the ' +
      'pages of this service, such as invitations, are never among them. ' +
      `\`to\` and \`subject\` search the newest ${limits.capturedSearchedMax} mails.`,
    query: CapturedQuery,
    members: { query: CapturedBrowse, answer: CapturedState },
    errors: ['not_found'],
  }),
  deleteCapturedMails: captured.delete('/api/v1/captured', CapturedDeleted, {
    summary: 'Delete captured mails',
    description:
      'Those to an address, with a subject, or both; `since` leaves out earlier ones. Never without `to` or `subject`. The ' +
      `messages and their outcomes stay. At most ${limits.capturedDeletedMax} of a call; it is in the audit log.`,
    query: CapturedDeletion,
    members: { query: CapturedBrowseDeletion },
    errors: ['not_found'],
  }),
  getCapturedMail: captured.get('/api/v1/captured/{id}', CapturedMail, {
    summary: 'Read a captured mail',
    description:
      'As a mail program reads it, with its links, its files, the code that it has, and facts that decide where it lands.',
    members: { query: OfOperator, answer: CapturedMailOfMembers },
  }),
  listSubscribers: subscribers.get('/api/v1/subscribers', SubscriberList, {
    summary: 'List subscribers',
    description: 'Newest first; `status` and `q` narrow the list.',
    query: SubscriberQuery,
    members: { query: AudienceQuery },
    tool: reads,
  }),
  addSubscriber: subscribers.post('/api/v1/subscribers', createdOrFound(SubscriberResult), {
    summary: 'Add or update a subscriber',
    description:
      '201: the contact is new, and `pending` until they confirm by the mail that is sent to them, or `subscribed` at once with ' +
      '`double_opt_in: false`. 200: what was sent is merged into the record that was there, whose status stays. A contact who ' +
      'is suppressed, unsubscribed, bounced or complained is refused: they return only by themselves, through a form.',
    body: SubscriberRequest,
    members: { body: SubscriberByHand },
    foreign: foreignSubscriberKeys,
    errors: ['reputation_blocked', 'conflict', 'unverified_from_domain', 'suppressed_recipient'],
    // It adds, and it overwrites what a known subscriber has: in the words of MCP that is no
    // additive update.
    tool: { ...adds, destructive: true, openWorld: true, aliases: ['prenom', 'nom'] },
  }),
  addSubscriberBatch: subscribers.post('/api/v1/subscribers/batch', onceDone(SubscriberBatch), {
    summary: `Add or update up to ${limits.subscriberBatchMax.toLocaleString('en-US')} subscribers`,
    description:
      'Each entry is `POST /subscribers` by itself and has a result of its own, in the order of the list: one that is refused keeps no other from ' +
      'being added. Each is one request of the rate; entries beyond it are refused with `rate_limit_exceeded`, and can be sent again after ' +
      '`details.retry_after` seconds. An address counts once in a batch. Confirmations leave one by one, ' +
      `${limits.confirmationsPerMinute} a minute for a workspace unless the operator sets another pace: \`confirmation_at\` says when.`,
    headers: SubscriberBatchHeaders,
    body: SubscriberBatchRequest,
    bodyBytesMax: limits.subscriberBatchBytes,
    errors: ['idempotency_key_reused'],
  }),
  createSubscriberImport: subscribers.post(
    '/api/v1/subscribers/imports',
    onceBegun(SubscriberImport),
    {
      summary: 'Import a file of subscribers',
      description:
        'A worker stores its lines, as those of a file that a user uploads: contacts who left, by the file or by what is known here, are ' +
        'refused and counted, and nobody who left is subscribed again. Lines that say `pending` stay so and get no mail. A word of a status, or a divider of ' +
        'tags, that is not known ends the import before its first line: its `unknown_words` and `unknown_separators` say what to answer by ' +
        '`status_words` and `tag_separators` of another call. Confirmations that would leave in more than ' +
        `${limits.confirmationHoursMax} hours refuse their lines (\`confirmations\`), and 429 refuses a file that comes while others wait that long. It is in the audit log.`,
      headers: SubscriberImportHeaders,
      body: SubscriberImportRequest,
      foreign: foreignSubscriberKeys,
      bodyBytesMax: limits.subscriberImportBytes,
      errors: [
        'conflict',
        'idempotency_key_reused',
        'reputation_blocked',
        'unverified_from_domain',
      ],
    },
  ),
  listSubscriberImports: subscribers.get('/api/v1/subscribers/imports', SubscriberImportList, {
    summary: 'List imports of subscribers',
    description: 'Those of thirty days, newest first, of users and of commands too.',
    query: PageQuery,
  }),
  getSubscriberImport: subscribers.get('/api/v1/subscribers/imports/{id}', SubscriberImport, {
    summary: 'Read an import of subscribers',
    description: 'How far it is, its counts, and its first refused lines.',
    params: SubscriberImportParams,
  }),
  getSubscriber: subscribers.get('/api/v1/subscribers/{email}', SubscriberDetail, {
    summary: 'Read a subscriber',
    description:
      'The record of one address, with the topics and the language that the contact chose.',
  }),
  removeSubscriber: subscribers.delete('/api/v1/subscribers/{email}', Unsubscribed, {
    summary: 'Unsubscribe a subscriber',
    description:
      'Suppresses the address with reason `unsubscribe`: from the answer on, nothing more leaves for it. The record stays.',
    tool: { ...closes, advice: 'Irreversible: only the person can subscribe the address again.' },
  }),
  exportSubscriber: subscribers.get('/api/v1/subscribers/{email}/export', ContactExport, {
    scope: 'subscribers:export',
    role: 'editor',
    fresh: true,
    summary: 'Export a contact',
    description:
      'Everything that the workspace knows about one address, which need not be a subscriber: record, evidence of consent, mails with ' +
      'their outcomes, opens and clicks, suppression. It is in the audit log. 404 when nothing is known.',
  }),
  eraseSubscriber: subscribers.post('/api/v1/subscribers/{email}/erase', ContactErased, {
    scope: 'subscribers:erase',
    fresh: true,
    summary: 'Erase a contact',
    description:
      'For good: everything that names the address goes, counts stay. If it was suppressed, a digest keeps it suppressed. Otherwise it may ' +
      'be added again. 409 `conflict` (`being_sent`) while a mail to it is leaving: call again in a minute. 404 when nothing is known. The audit log ' +
      'says that a contact was erased, not which one.',
    errors: ['conflict'],
  }),
  listSuppression: suppression.get('/api/v1/suppression', SuppressionList, {
    summary: 'List suppressed addresses',
    description:
      'Newest first; `email` checks one address, exclusions of the whole platform included.',
    query: SuppressionQuery,
    members: { query: SuppressionSearch },
    tool: reads,
  }),
  addSuppression: suppression.post('/api/v1/suppression', created(SuppressionEntry), {
    summary: 'Suppress an address',
    description:
      'From the answer on, nothing more leaves for this address. No call of this API takes it back.',
    body: SuppressionRequest,
    tool: { ...closes, advice: 'Irreversible: no tool removes an address from the list.' },
  }),
  listCampaigns: campaigns.get('/api/v1/campaigns', CampaignList, {
    summary: 'List campaigns',
    description: 'Newest first, all of them or those of one status.',
    query: CampaignQuery,
    members: { query: CampaignSearch, answer: listOf(FoundCampaign) },
    tool: reads,
  }),
  createCampaign: campaigns.post('/api/v1/campaigns', created(CampaignCreated), {
    summary: 'Create a campaign',
    description:
      'A draft: nothing is sent. `from` must be on a verified domain (422) and be a sender of the workspace (404); a draft ' +
      'may wait for the first sender.',
    body: CampaignRequest,
    foreign: foreignCampaignKeys,
    bodyBytesMax: limits.campaignBodyBytes,
    errors: ['not_found', 'unverified_from_domain'],
    tool: adds,
  }),
  getCampaign: campaigns.get('/api/v1/campaigns/{id}', Campaign, {
    summary: 'Read a campaign',
    description: 'Where it stands, how far the hand-off is, and what came of it.',
  }),
  updateCampaign: campaigns.patch('/api/v1/campaigns/{id}', Campaign, {
    summary: 'Change a draft',
    description:
      'The result is checked as a new campaign is. 409 `conflict` for any other status, and for a draft that a user left unfinished ' +
      'in the editor, unless the call brings its content.',
    body: CampaignUpdate,
    foreign: foreignCampaignKeys,
    bodyBytesMax: limits.campaignBodyBytes,
    errors: ['conflict', 'unverified_from_domain'],
  }),
  deleteCampaign: campaigns.delete('/api/v1/campaigns/{id}', CampaignDeleted, {
    summary: 'Delete a draft',
    description:
      'A campaign that never left is gone for good, its note too. Its audit entries, test mails and images stay. 409 `conflict` for any other campaign.',
    errors: ['conflict'],
  }),
  duplicateCampaign: campaigns.post('/api/v1/campaigns/{id}/duplicate', created(Campaign), {
    summary: 'Make a new draft of a campaign',
    description: 'Copies its content, sender and tracking, and none of its results.',
    body: CampaignCopy,
    optionalBody: true,
    foreign: foreignCampaignKeys,
    members: { answer: CampaignRun },
  }),
  preflightDraft: campaigns.post('/api/v1/campaigns/{id}/preflight', DraftPreflight, {
    summary: 'Check a draft before it is sent',
    description:
      'Its errors, its warnings, and whom it would reach. Requests each link once. Sends nothing. A key gets 409 `conflict` for a draft ' +
      'that is unfinished in the editor.',
    errors: ['conflict'],
  }),
  sendDraftTest: campaigns.post('/api/v1/campaigns/{id}/test', accepted(CampaignTested), {
    summary: 'Send a test',
    description:
      `One copy, marked as a test, to each of at most ${limits.testRecipientsMax} addresses: members of the workspace, and subscribers who confirmed their address ` +
      'by the link in their mail. All of them or none. The copies count in the quota.',
    body: CampaignTest,
    optionalBody: true,
    foreign: foreignTestKeys,
    errors: [
      'quota_exceeded',
      'reputation_blocked',
      'conflict',
      'unverified_from_domain',
      'suppressed_recipient',
    ],
  }),
  scheduleCampaign: campaigns.post('/api/v1/campaigns/{id}/schedule', Campaign, {
    summary: 'Set when a campaign is sent',
    description:
      'A draft is scheduled, a scheduled one moved. Goes to all who are subscribed at that time. One for which a member chose an audience is 409 `conflict` with `details.reason` `targeted`, and one that a second member has not approved, where the workspace demands it, `approval_required`.',
    body: CampaignSchedule,
    foreign: foreignScheduleKeys,
    members: { answer: CampaignRun },
    errors: ['conflict'],
  }),
  unscheduleCampaign: campaigns.post('/api/v1/campaigns/{id}/unschedule', Campaign, {
    summary: 'Take a schedule back',
    description: 'The campaign is a draft again.',
    members: { answer: CampaignRun },
    errors: ['conflict'],
  }),
  cancelCampaign: campaigns.post('/api/v1/campaigns/{id}/cancel', Campaign, {
    summary: 'End a campaign on its way',
    description:
      'Recipients that it was not sent to end as failed, `cancelled`; the quota gets them back.',
    members: { answer: CampaignRun },
    errors: ['conflict'],
  }),
  sendCampaign: campaigns.post('/api/v1/campaigns/{id}/send', accepted(CampaignSent), {
    summary: 'Send a campaign',
    description:
      'Irreversible. Goes to all who are `subscribed` now, minus the suppressed: the list is frozen by this call, and `queued` is its ' +
      'length. A campaign is sent once; duplicate it to send it again. A 422 `validation_error` has the cause in ' +
      '`details.reason`: `quota_exceeded` (with `needed` and `remaining`), `reputation_blocked`, `no_sender`, `no_recipients` or ' +
      '`recipients_differ` (with `confirmed` and `recipients`). A draft for which a member chose an audience is 409 `conflict` with ' +
      '`details.reason` `targeted`, and one that a second member has not approved, where the workspace demands it, `approval_required` ' +
      '(with `recipients` and `above`).',
    query: CampaignSendQuery,
    foreign: foreignCampaignKeys,
    members: { query: MemberSendQuery },
    errors: ['conflict', 'unverified_from_domain'],
    tool: {
      ...{ readOnly: false, destructive: true, idempotent: true, openWorld: true },
      advice:
        'Read `subscribers` of `get_account`, have a person agree to it, and give that number as `confirm_recipients`.',
    },
  }),
  getCampaignStats: campaigns.get('/api/v1/campaigns/{id}/stats', CampaignStats, {
    summary: "Read a campaign's statistics",
    description:
      'Recipients are counted once. Opens through privacy relays count and make `proxiedShare`; those of scanners do not. ' +
      'A click is an open too.',
    tool: reads,
  }),
  listWebhooks: webhooks.get('/api/v1/webhooks', WebhookList, {
    summary: 'List webhooks',
    description: 'All of the workspace, twenty at most, newest first; without their secrets.',
    query: WebhookQuery,
  }),
  createWebhook: webhooks.post('/api/v1/webhooks', created(WebhookWithSecret), {
    summary: 'Create a webhook',
    description:
      'From the answer on, each event of these types is posted to the URL, signed with `secret`.',
    body: WebhookRequest,
  }),
  getWebhook: webhooks.get('/api/v1/webhooks/{id}', WebhookWithSecret, {
    // Anyone who has the secret can impersonate us.
    role: 'editor',
    summary: 'Read a webhook',
    description: 'With its secret.',
  }),
  updateWebhook: webhooks.patch('/api/v1/webhooks/{id}', Webhook, {
    summary: 'Change a webhook',
    description:
      'Changes the given fields. `enabled: false` disables the webhook and keeps its journal: no new events are recorded for it, ' +
      'and pending deliveries wait until it is enabled again.',
    body: WebhookUpdate,
  }),
  deleteWebhook: webhooks.delete('/api/v1/webhooks/{id}', WebhookDeleted, {
    summary: 'Delete a webhook',
    description: 'Its journal goes with it.',
  }),
  testWebhook: webhooks.post('/api/v1/webhooks/{id}/test', WebhookTest, {
    summary: 'Test a webhook',
    description:
      'Posts an event of the real form whose `data` is `{"test": true}` and whose type is the first of the webhook, and waits for ' +
      'the answer: `status` is the outcome. One attempt, also for a disabled webhook.',
  }),
  listWebhookDeliveries: webhooks.get('/api/v1/webhooks/{id}/deliveries', WebhookDeliveryList, {
    summary: "Read a webhook's journal",
    description:
      'Each event for this webhook, newest first, with every attempt. Entries expire with their events: after 30 days, unless another limit is set.',
    query: WebhookDeliveryQuery,
  }),
  replayWebhookDelivery: webhooks.post(
    '/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    WebhookReplay,
    {
      summary: 'Replay a delivery',
      description:
        'One more attempt of the entry, from any state: the same bytes and event `id`, freshly signed. Waits for the answer. ' +
        '`status`, `response_status` and `error` are those of this attempt; the entry of a delivered event stays `delivered` in the journal.',
      params: WebhookDeliveryParams,
    },
  ),
  replayWebhookEvents: webhooks.post('/api/v1/webhooks/{id}/replay', accepted(RangeReplay), {
    summary: 'Replay the events of a period',
    description:
      'Sends the events of the webhook’s types from that period again, with the usual retries: failed ones, ' +
      'those that it missed while it was disabled, and with `only: all` also delivered ones.',
    body: RangeReplayRequest,
  }),
  rotateWebhookSecret: webhooks.post('/api/v1/webhooks/{id}/rotate', WebhookWithSecret, {
    summary: "Change a webhook's secret",
    description:
      'Answers the new secret. For `overlap_hours` every call carries a signature by each of the two, so that a receiver that knows ' +
      'either accepts it.',
    query: RotationQuery,
  }),
  listEvents: webhooks.get('/api/v1/events', EventList, {
    summary: 'Read events by polling',
    description:
      'Events that some webhook of the workspace listens to, disabled ones included, in the order in which they were committed: ' +
      'none appears later before one that was read. Remember the last `id` and give it as `after`. Stored for 30 days, unless ' +
      'another limit is set; an event that expired answers 422.',
    query: EventQuery,
  }),
  ...keyDomainOperations,
  ...requestOperations,
}

export const operations = {
  ...apiOperations,
  ...messageOperations,
  ...suppressionOperations,
  ...suppressionTableOperations,
  ...capturedOperations,
  ...requestCountOperations,
  ...campaignRunOperations,
  ...campaignAudienceOperations,
  ...campaignApprovalOperations,
  ...campaignRecipientOperations,
  ...campaignResultOperations,
  ...campaignTopicOperations,
  ...draftOperations,
  ...imageOperations,
  ...overviewOperations,
  ...installationOperations,
  ...signInOperations,
  ...userLinkOperations,
  ...myAccountOperations,
  ...memberOperations,
  ...auditOperations,
  ...apiKeyOperations,
  ...domainOperations,
  ...domainReportOperations,
  ...senderOperations,
  ...formOperations,
  ...settingsOperations,
  ...retentionOperations,
  ...approvalRuleOperations,
  ...audienceOperations,
  ...audienceListOperations,
  ...segmentOperations,
  ...bulkChangeOperations,
  ...topicOperations,
  ...contactOperations,
  ...importOperations,
  ...webhookOperations,
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations

/** The operations as users in their workspace call them: some take more of users than of a key. */
export const operationsOfUsers = Object.fromEntries(
  Object.entries<Operation>(operations).map(([id, operation]) => {
    if (!operation.members) return [id, operation]
    const { answer: _asTheyRead, ...rest } = operation.members
    return [id, { ...operation, ...rest }]
  }),
) as Record<OperationId, Operation>

/** The operations that an API key may call. */
export type ApiOperationId = keyof typeof apiOperations

/** What only users give: absent in the call of a key. */
type OfUsers<Id extends OperationId, Part extends string> = (typeof operations)[Id] extends {
  members: Record<Part, infer S extends TSchema>
}
  ? Partial<Static<S>>
  : unknown

/** The input of a verb: each part parsed by its schema. */
export interface InputOf<Id extends OperationId> {
  params: Static<(typeof operations)[Id]['params']>
  query: Static<(typeof operations)[Id]['query']> & OfUsers<Id, 'query'>
  headers: Static<(typeof operations)[Id]['headers']>
  body: (typeof operations)[Id] extends { body: infer S extends TSchema }
    ? Static<S> & OfUsers<Id, 'body'>
    : undefined
  /** Throws CallerLeft when the upload breaks off. */
  file: (typeof operations)[Id] extends { takesFile: true } ? AsyncIterable<Buffer> : undefined
}

/** What only users, and the operator's commands, read in place of a key's answer. */
type ReadByMembers<Id extends OperationId> = (typeof operations)[Id] extends {
  members: { answer: infer S extends TSchema }
}
  ? Static<S>
  : never

/** The answer of a verb: the body of success, and headers when the operation has some. */
export interface AnswerOf<Id extends OperationId> {
  /** Absent means the operation's usual status of success. */
  status?: (typeof operations)[Id]['answer'] extends { elseStatus: infer S } ? S : never
  body: (typeof operations)[Id]['answer'] extends { file: true }
    ? OutgoingFile
    : Static<(typeof operations)[Id]['answer']['schema']> | ReadByMembers<Id>
  headers?: (typeof operations)[Id]['answer'] extends { headers: infer H }
    ? { [K in keyof H]?: string }
    : never
}

/** The body of success as users in their workspace read it. */
export type MemberAnswerOf<Id extends OperationId> = [ReadByMembers<Id>] extends [never]
  ? AnswerOf<Id>['body']
  : ReadByMembers<Id>

export const isOperationId = (text: string): text is OperationId => Object.hasOwn(operations, text)

/** All ids, in the order of the table. */
export const operationIds: readonly OperationId[] = Object.keys(operations).filter(isOperationId)

const isApiOperationId = (id: OperationId): id is ApiOperationId => Object.hasOwn(apiOperations, id)

/** Those that an API key may call, in the order of the table. */
export const apiOperationIds: readonly ApiOperationId[] = operationIds.filter(isApiOperationId)
