/**
 * Lists the calls of Resend's SDK, each with what it gets here: built, or refused with our way. The
 * entry point for Resend's paths and the guide derive from it; a test reads the calls of the
 * unmodified SDK and misses none (`test/referees/resend-calls.test.ts`).
 */
import type { Hint } from '../hints.ts'

export interface ResendCall {
  /** As users of the SDK for Node.js write it. */
  call: string
  /** The request that it makes; `{id}`: an identifier. */
  request: string
  /** A body that the SDK sends, if any. */
  body?: object
  /** Built: the status of its answer, and what differs. */
  status?: number
  here?: string
  /** Built, and the specification has another answer at this path. */
  isOther?: true
  /** Refused: the text that says our way. */
  way?: Hint
}

const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}

const news = { from: 'hello@shop.test', subject: 'News', text: 'Bonjour' }

export const resendCalls: readonly ResendCall[] = [
  { call: 'segments.create', request: 'POST /segments', way: 'resend_segments' },
  {
    call: 'segments.list',
    request: 'GET /segments',
    status: 200,
    here: 'One entry, everyone subscribed',
  },
  {
    call: 'segments.get',
    request: 'GET /segments/{id}',
    status: 200,
    here: 'That entry; any other is not found',
  },
  { call: 'segments.update', request: 'PATCH /segments/{id}', way: 'resend_segments' },
  { call: 'segments.remove', request: 'DELETE /segments/{id}', way: 'resend_segments' },
  { call: 'apiKeys.create', request: 'POST /api-keys', way: 'resend_keys' },
  { call: 'apiKeys.list', request: 'GET /api-keys', way: 'resend_keys' },
  { call: 'apiKeys.update', request: 'PATCH /api-keys/{id}', way: 'resend_keys' },
  { call: 'apiKeys.remove', request: 'DELETE /api-keys/{id}', way: 'resend_keys' },
  { call: 'audiences.create', request: 'POST /segments', way: 'resend_segments' },
  {
    call: 'audiences.list',
    request: 'GET /segments',
    status: 200,
    here: 'The same as `segments.list`',
  },
  {
    call: 'audiences.get',
    request: 'GET /segments/{id}',
    status: 200,
    here: 'The same as `segments.get`',
  },
  { call: 'audiences.update', request: 'PATCH /segments/{id}', way: 'resend_segments' },
  { call: 'audiences.remove', request: 'DELETE /segments/{id}', way: 'resend_segments' },
  { call: 'automations.create', request: 'POST /automations', way: 'resend_automations' },
  { call: 'automations.list', request: 'GET /automations', way: 'resend_automations' },
  { call: 'automations.get', request: 'GET /automations/{id}', way: 'resend_automations' },
  { call: 'automations.remove', request: 'DELETE /automations/{id}', way: 'resend_automations' },
  { call: 'automations.update', request: 'PATCH /automations/{id}', way: 'resend_automations' },
  {
    call: 'automations.duplicate',
    request: 'POST /automations/{id}/duplicate',
    way: 'resend_automations',
  },
  { call: 'automations.stop', request: 'POST /automations/{id}/stop', way: 'resend_automations' },
  {
    call: 'automations.runs.get',
    request: 'GET /automations/{id}/runs/{id}',
    way: 'resend_automations',
  },
  {
    call: 'automations.runs.list',
    request: 'GET /automations/{id}/runs',
    way: 'resend_automations',
  },
  {
    call: 'batch.send',
    request: 'POST /emails/batch',
    body: [mail],
    status: 202,
    here: 'The same; all or none',
  },
  {
    call: 'batch.create',
    request: 'POST /emails/batch',
    body: [mail],
    status: 202,
    here: 'The same; all or none',
  },
  {
    call: 'broadcasts.create',
    request: 'POST /broadcasts',
    body: { segment_id: '00000000-0000-4000-8000-000000000001', ...news },
    status: 201,
    here: 'A draft; with `send` it is sent or scheduled in the same transaction, and a repeated call is a second broadcast: `idempotencyKey` is refused beside it, while `send` of a draft sends once. The segment is the one of `segments.list`; a mail has one content, so that beside `html` its text is made from it',
  },
  {
    call: 'broadcasts.send',
    request: 'POST /broadcasts/{id}/send',
    body: {},
    status: 200,
    here: 'Sent or scheduled; `scheduled_at` has the instant',
  },
  {
    call: 'broadcasts.list',
    request: 'GET /broadcasts',
    status: 200,
    here: '`after`, never `before`; `queued` is scheduled or on its way',
  },
  {
    call: 'broadcasts.get',
    request: 'GET /broadcasts/{id}',
    status: 200,
    here: 'With `html` or `text`, as it was written; blocks of the editor are neither',
  },
  {
    call: 'broadcasts.recipients',
    request: 'GET /broadcasts/{id}/recipients',
    status: 200,
    here: 'The same, with `after`, never `before`; the key needs `subscribers:read` too. `sent` is everyone whom the mail was handed over for; a bounce by policy is `undetermined`; a page may hold fewer than asked for',
  },
  {
    call: 'broadcasts.clickedLinks',
    request: 'GET /broadcasts/{id}/clicked-links',
    status: 200,
    here: 'The same, in the order of the mail, with `after`, never `before`; a link that stands in it twice has two rows',
  },
  {
    call: 'broadcasts.remove',
    request: 'DELETE /broadcasts/{id}',
    status: 200,
    here: 'Drafts only',
  },
  {
    call: 'broadcasts.cancel',
    request: 'POST /broadcasts/{id}/cancel',
    status: 200,
    here: 'A scheduled one is a draft again; one on its way ends',
  },
  {
    call: 'broadcasts.duplicate',
    request: 'POST /broadcasts/{id}/duplicate',
    status: 201,
    here: 'The same',
  },
  {
    call: 'broadcasts.update',
    request: 'PATCH /broadcasts/{id}',
    body: { name: 'December' },
    status: 200,
    here: 'Drafts only',
  },
  { call: 'contactProperties.create', request: 'POST /contact-properties', way: 'resend_fields' },
  { call: 'contactProperties.list', request: 'GET /contact-properties', way: 'resend_fields' },
  { call: 'contactProperties.get', request: 'GET /contact-properties/{id}', way: 'resend_fields' },
  {
    call: 'contactProperties.update',
    request: 'PATCH /contact-properties/{id}',
    way: 'resend_fields',
  },
  {
    call: 'contactProperties.remove',
    request: 'DELETE /contact-properties/{id}',
    way: 'resend_fields',
  },
  {
    call: 'contacts.create',
    request: 'POST /contacts',
    body: { email: 'camille@example.com' },
    status: 201,
    here: 'Pending, with a mail that asks to confirm; `unsubscribed: true` suppresses the address and asks nobody: an unknown address becomes no contact, so the `id` of its answer is that of the suppression, which `contacts.get` does not find. Any segment but the one of `segments.list` is refused',
  },
  {
    call: 'contacts.create',
    request: 'POST /audiences/{id}/contacts',
    body: { email: 'camille@example.com' },
    status: 201,
    here: 'Pending, with a mail that asks to confirm; `unsubscribed: true` suppresses the address and asks nobody: an unknown address becomes no contact, so the `id` of its answer is that of the suppression, which `contacts.get` does not find. Any segment but the one of `segments.list` is refused',
  },
  {
    call: 'contacts.list',
    request: 'GET /contacts',
    status: 200,
    here: '`after`, never `before`; `status` says more than `unsubscribed`',
  },
  {
    call: 'contacts.list',
    request: 'GET /segments/{id}/contacts',
    status: 200,
    here: '`after`, never `before`; `status` says more than `unsubscribed`',
  },
  {
    call: 'contacts.get',
    request: 'GET /contacts/{id}',
    status: 200,
    here: 'By address or identifier',
  },
  {
    call: 'contacts.get',
    request: 'GET /audiences/{id}/contacts/{id}',
    status: 200,
    here: 'By address or identifier',
  },
  {
    call: 'contacts.update',
    request: 'PATCH /contacts/{id}',
    body: {},
    status: 200,
    here: '`unsubscribed: true` is the unsubscribe verb; `false` brings nobody back (422). Names and properties of who left stay. Reads too, so the key needs `subscribers:read`',
  },
  {
    call: 'contacts.update',
    request: 'PATCH /audiences/{id}/contacts/{id}',
    body: {},
    status: 200,
    here: '`unsubscribed: true` is the unsubscribe verb; `false` brings nobody back (422). Names and properties of who left stay. Reads too, so the key needs `subscribers:read`',
  },
  {
    call: 'contacts.remove',
    request: 'DELETE /contacts/{id}',
    status: 200,
    here: 'The unsubscribe verb: the record stays, `deleted` is `false`',
  },
  {
    call: 'contacts.remove',
    request: 'DELETE /audiences/{id}/contacts/{id}',
    status: 200,
    here: 'The unsubscribe verb: the record stays, `deleted` is `false`',
  },
  { call: 'contacts.imports.create', request: 'POST /contacts/imports', way: 'resend_imports' },
  { call: 'contacts.imports.list', request: 'GET /contacts/imports', way: 'resend_imports' },
  { call: 'contacts.imports.get', request: 'GET /contacts/imports/{id}', way: 'resend_imports' },
  { call: 'contacts.topics.update', request: 'PATCH /contacts/{id}/topics', way: 'resend_topics' },
  { call: 'contacts.topics.list', request: 'GET /contacts/{id}/topics', way: 'resend_topics' },
  {
    call: 'contacts.segments.list',
    request: 'GET /contacts/{id}/segments',
    way: 'resend_segments',
  },
  {
    call: 'contacts.segments.add',
    request: 'POST /contacts/{id}/segments/{id}',
    way: 'resend_segments',
  },
  {
    call: 'contacts.segments.remove',
    request: 'DELETE /contacts/{id}/segments/{id}',
    way: 'resend_segments',
  },
  {
    call: 'domains.create',
    request: 'POST /domains',
    body: { name: 'mail.acme.example' },
    status: 201,
    here: 'The same, with DMARC beside the other records, whose names are whole; `customReturnPath` and `trackingSubdomain` count, all else of it is ignored. A domain has no region, its identifier is its name, and a known one is answered as it is',
  },
  {
    call: 'domains.list',
    request: 'GET /domains',
    status: 200,
    here: 'All of them on one page',
  },
  {
    call: 'domains.get',
    request: 'GET /domains/{id}',
    status: 200,
    here: 'By its name, which is its identifier; the records as they were found at the last check',
  },
  { call: 'domains.update', request: 'PATCH /domains/{id}', way: 'resend_domains' },
  { call: 'domains.remove', request: 'DELETE /domains/{id}', way: 'resend_domains' },
  {
    call: 'domains.verify',
    request: 'POST /domains/{id}/verify',
    status: 200,
    here: 'Answers when DNS has been asked; the result of another check within half a minute counts',
  },
  { call: 'domains.claims.create', request: 'POST /domains/claim', way: 'resend_domains' },
  { call: 'domains.claims.get', request: 'GET /domains/{id}/claim', way: 'resend_domains' },
  {
    call: 'domains.claims.verify',
    request: 'POST /domains/{id}/claim/verify',
    way: 'resend_domains',
  },
  {
    call: 'emails.send',
    request: 'POST /emails',
    body: mail,
    status: 202,
    here: 'The same; an answer with `id`',
  },
  {
    call: 'emails.create',
    request: 'POST /emails',
    body: mail,
    status: 202,
    here: 'The same as `emails.send`',
  },
  {
    call: 'emails.get',
    request: 'GET /emails/{id}',
    status: 200,
    here: 'The same, with the state of each recipient',
  },
  { call: 'emails.list', request: 'GET /emails', status: 200, here: 'The same' },
  {
    call: 'emails.update',
    request: 'PATCH /emails/{id}',
    body: { scheduled_at: '2030-01-01T08:00:00Z' },
    status: 200,
    here: 'The same; `scheduled_at` has the instant',
  },
  { call: 'emails.cancel', request: 'POST /emails/{id}/cancel', status: 200, here: 'The same' },
  { call: 'emails.share', request: 'POST /emails/{id}/share', way: 'resend_share' },
  { call: 'emails.metrics', request: 'GET /emails/metrics', way: 'resend_figures' },
  {
    call: 'emails.attachments.get',
    request: 'GET /emails/{id}/attachments/{id}',
    way: 'resend_attachments',
  },
  {
    call: 'emails.attachments.list',
    request: 'GET /emails/{id}/attachments',
    way: 'resend_attachments',
  },
  { call: 'emails.receiving.get', request: 'GET /emails/receiving/{id}', way: 'resend_receiving' },
  { call: 'emails.receiving.list', request: 'GET /emails/receiving', way: 'resend_receiving' },
  {
    call: 'emails.receiving.forward',
    request: 'GET /emails/receiving/{id}',
    way: 'resend_receiving',
  },
  {
    call: 'emails.receiving.attachments.get',
    request: 'GET /emails/receiving/{id}/attachments/{id}',
    way: 'resend_receiving',
  },
  {
    call: 'emails.receiving.attachments.list',
    request: 'GET /emails/receiving/{id}/attachments',
    way: 'resend_receiving',
  },
  { call: 'events.send', request: 'POST /events/send', way: 'resend_automations' },
  { call: 'events.create', request: 'POST /events', way: 'resend_automations' },
  { call: 'events.get', request: 'GET /events/{id}', way: 'resend_automations' },
  {
    call: 'events.list',
    request: 'GET /events',
    status: 200,
    here: 'The events that webhooks receive; there are no automations',
    isOther: true,
  },
  { call: 'events.update', request: 'PATCH /events/{id}', way: 'resend_automations' },
  { call: 'events.remove', request: 'DELETE /events/{id}', way: 'resend_automations' },
  { call: 'inboxes.create', request: 'POST /inboxes', way: 'resend_receiving' },
  { call: 'inboxes.list', request: 'GET /inboxes', way: 'resend_receiving' },
  { call: 'inboxes.get', request: 'GET /inboxes/{id}', way: 'resend_receiving' },
  { call: 'inboxes.update', request: 'PATCH /inboxes/{id}', way: 'resend_receiving' },
  { call: 'inboxes.remove', request: 'DELETE /inboxes/{id}', way: 'resend_receiving' },
  { call: 'inboxes.threads.list', request: 'GET /inboxes/{id}/threads', way: 'resend_receiving' },
  {
    call: 'inboxes.threads.search',
    request: 'GET /inboxes/{id}/threads/search',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.get',
    request: 'GET /inboxes/{id}/threads/{id}',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.update',
    request: 'PATCH /inboxes/{id}/threads/{id}',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.remove',
    request: 'DELETE /inboxes/{id}/threads/{id}',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.emails.list',
    request: 'GET /inboxes/{id}/threads/{id}/emails',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.emails.get',
    request: 'GET /inboxes/{id}/threads/{id}/emails/{id}',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.emails.reply',
    request: 'POST /inboxes/{id}/threads/{id}/emails/{id}/reply',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.emails.forward',
    request: 'POST /inboxes/{id}/threads/{id}/emails/{id}/forward',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.labels.add',
    request: 'POST /inboxes/{id}/threads/{id}/labels',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.labels.set',
    request: 'PUT /inboxes/{id}/threads/{id}/labels',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.threads.labels.remove',
    request: 'DELETE /inboxes/{id}/threads/{id}/labels/{id}',
    way: 'resend_receiving',
  },
  { call: 'inboxes.labels.list', request: 'GET /inboxes/{id}/labels', way: 'resend_receiving' },
  { call: 'inboxes.labels.create', request: 'POST /inboxes/{id}/labels', way: 'resend_receiving' },
  {
    call: 'inboxes.labels.update',
    request: 'PATCH /inboxes/{id}/labels/{id}',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.labels.remove',
    request: 'DELETE /inboxes/{id}/labels/{id}',
    way: 'resend_receiving',
  },
  { call: 'inboxes.drafts.list', request: 'GET /inboxes/{id}/drafts', way: 'resend_receiving' },
  { call: 'inboxes.drafts.create', request: 'POST /inboxes/{id}/drafts', way: 'resend_receiving' },
  { call: 'inboxes.drafts.get', request: 'GET /inboxes/{id}/drafts/{id}', way: 'resend_receiving' },
  {
    call: 'inboxes.drafts.update',
    request: 'PATCH /inboxes/{id}/drafts/{id}',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.drafts.remove',
    request: 'DELETE /inboxes/{id}/drafts/{id}',
    way: 'resend_receiving',
  },
  {
    call: 'inboxes.drafts.send',
    request: 'POST /inboxes/{id}/drafts/{id}/send',
    way: 'resend_receiving',
  },
  { call: 'inboxes.agent.get', request: 'GET /inboxes/{id}/agent', way: 'resend_receiving' },
  { call: 'inboxes.agent.update', request: 'PATCH /inboxes/{id}/agent', way: 'resend_receiving' },
  {
    call: 'logs.list',
    request: 'GET /logs',
    status: 200,
    here: '`after`, never `before`; endpoint and method are those of the operation, empty where none has the address. Neither bodies nor user agents are kept',
  },
  {
    call: 'logs.get',
    request: 'GET /logs/{id}',
    status: 200,
    here: 'The same entry; `request_body` and `response_body` are null',
  },
  { call: 'oauthGrants.list', request: 'GET /oauth/grants', way: 'resend_keys' },
  { call: 'oauthGrants.revoke', request: 'DELETE /oauth/grants/{id}', way: 'resend_keys' },
  {
    call: 'suppressions.add',
    request: 'POST /suppressions',
    body: { email: 'left@example.com' },
    status: 201,
    here: 'The same; a known address keeps its stronger reason',
  },
  {
    call: 'suppressions.list',
    request: 'GET /suppressions',
    status: 200,
    here: '`before` is refused by name, as in every list, and `origin`, for which no index exists. Who unsubscribed has the origin `manual` and the `reason` `unsubscribe`',
  },
  {
    call: 'suppressions.get',
    request: 'GET /suppressions/{id}',
    status: 200,
    here: 'The same, by address or identifier',
  },
  { call: 'suppressions.remove', request: 'DELETE /suppressions/{id}', way: 'resend_suppressions' },
  {
    call: 'suppressions.batch.add',
    request: 'POST /suppressions/batch/add',
    body: { emails: ['left@example.com'] },
    status: 201,
    here: 'All or none, at most 100',
  },
  {
    call: 'suppressions.batch.remove',
    request: 'POST /suppressions/batch/remove',
    way: 'resend_suppressions',
  },
  { call: 'templates.create', request: 'POST /templates', way: 'resend_templates' },
  { call: 'templates.remove', request: 'DELETE /templates/{id}', way: 'resend_templates' },
  { call: 'templates.get', request: 'GET /templates/{id}', way: 'resend_templates' },
  { call: 'templates.list', request: 'GET /templates', way: 'resend_templates' },
  {
    call: 'templates.duplicate',
    request: 'POST /templates/{id}/duplicate',
    way: 'resend_templates',
  },
  { call: 'templates.publish', request: 'POST /templates/{id}/publish', way: 'resend_templates' },
  { call: 'templates.update', request: 'PATCH /templates/{id}', way: 'resend_templates' },
  { call: 'topics.create', request: 'POST /topics', way: 'resend_topics' },
  { call: 'topics.list', request: 'GET /topics', way: 'resend_topics' },
  { call: 'topics.get', request: 'GET /topics/{id}', way: 'resend_topics' },
  { call: 'topics.update', request: 'PATCH /topics/{id}', way: 'resend_topics' },
  { call: 'topics.remove', request: 'DELETE /topics/{id}', way: 'resend_topics' },
  { call: 'usage.get', request: 'GET /usage', way: 'resend_figures' },
  {
    call: 'webhooks.create',
    request: 'POST /webhooks',
    body: { endpoint: 'https://example.com/', events: ['email.sent'] },
    status: 201,
    here: 'The same; an event type that does not exist here is refused',
  },
  {
    call: 'webhooks.get',
    request: 'GET /webhooks/{id}',
    status: 200,
    here: 'The same',
  },
  { call: 'webhooks.list', request: 'GET /webhooks', status: 200, here: 'The same' },
  {
    call: 'webhooks.update',
    request: 'PATCH /webhooks/{id}',
    body: { status: 'enabled', events: ['email.sent'] },
    status: 200,
    here: 'The same',
  },
  { call: 'webhooks.remove', request: 'DELETE /webhooks/{id}', status: 200, here: 'The same' },
  {
    call: 'webhooks.rotateSigningSecret',
    request: 'POST /webhooks/{id}/signing-secret/rotate',
    status: 200,
    here: 'The former secret signs for 24 hours more; `POST /webhooks/{id}/rotate` sets for how long',
  },
  { call: 'webhooks.events.list', request: 'GET /webhooks/{id}/events', way: 'resend_journal' },
  { call: 'webhooks.events.get', request: 'GET /webhooks/{id}/events/{id}', way: 'resend_journal' },
  {
    call: 'webhooks.events.replay',
    request: 'POST /webhooks/{id}/events/{id}/replay',
    way: 'resend_journal',
  },
  {
    call: 'webhooks.events.attempts.list',
    request: 'GET /webhooks/{id}/events/{id}/attempts',
    way: 'resend_journal',
  },
]

/** The refused ones; two calls of the SDK may make the same request. */
export const refusedResendCalls: readonly { request: string; way: Hint }[] = [
  ...new Map(
    resendCalls.flatMap(({ request, way }) => (way ? [[request, { request, way }] as const] : [])),
  ).values(),
]
