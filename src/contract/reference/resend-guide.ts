/** Writes the guide to migrating from Resend. Tests run its calls with the unmodified SDK. */
import { limits } from '../limits.ts'
import { table } from './markdown.ts'
import { placeOf } from './operation-part.ts'

/** A call of Resend's API, as its SDKs make it. */
export interface ResendCall {
  calls: string
  /** `{email}`, `{webhook}`: an identifier of such an object here; `{id}`: of any object. */
  request: string
  /** The body that an SDK sends, if any. */
  body?: object
  /** Absent: 404, since it has no counterpart here. */
  status?: number
  here: string
}

const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}
const operator = 'The pages, or the command line of the operator'

/** The answer of each call: `test/referees/migrating-from-resend.test.ts` makes them all. */
export const resendCalls: ResendCall[] = [
  {
    calls: '`emails.send`',
    request: 'POST /emails',
    body: mail,
    status: 202,
    here: 'The same; an answer with `id`',
  },
  {
    calls: '`batch.send`',
    request: 'POST /emails/batch',
    body: [mail],
    status: 202,
    here: 'The same; all or none',
  },
  { calls: '`emails.list`', request: 'GET /emails', status: 200, here: 'The same' },
  {
    calls: '`emails.get`',
    request: 'GET /emails/{email}',
    status: 200,
    here: 'The same, with the state of each recipient',
  },
  {
    calls: '`emails.update`',
    request: 'PATCH /emails/{email}',
    body: { scheduled_at: '2030-01-01T08:00:00Z' },
    status: 200,
    here: 'The same; RFC 3339 times only, at most a year ahead',
  },
  {
    calls: '`emails.cancel`',
    request: 'POST /emails/{email}/cancel',
    status: 200,
    here: 'The same',
  },
  {
    calls: '`emails.attachments.*`',
    request: 'GET /emails/{email}/attachments',
    here: "Files are on the message's page",
  },
  {
    calls: '`emails.receiving.*`',
    request: 'GET /emails/receiving',
    here: 'No mail is received except bounces and complaints',
  },
  { calls: '`webhooks.list`', request: 'GET /webhooks', status: 200, here: 'The same' },
  {
    calls: '`webhooks.create`',
    request: 'POST /webhooks',
    body: { endpoint: 'https://example.com/', events: ['email.sent'] },
    status: 422,
    here: '`url` in place of `endpoint`',
  },
  {
    calls: '`webhooks.get`',
    request: 'GET /webhooks/{webhook}',
    status: 200,
    here: 'The same, with `url`',
  },
  {
    calls: '`webhooks.update`',
    request: 'PATCH /webhooks/{webhook}',
    body: { events: ['email.sent'] },
    status: 200,
    here: '`events` only; `endpoint` and `status` are refused by name',
  },
  {
    calls: '`webhooks.remove`',
    request: 'DELETE /webhooks/{webhook}',
    status: 200,
    here: 'The same',
  },
  {
    calls: '`contacts.create`',
    request: 'POST /contacts',
    body: { email: 'camille@example.com' },
    here: '`POST /subscribers`',
  },
  { calls: '`contacts.list`', request: 'GET /contacts', here: '`GET /subscribers`' },
  { calls: '`contacts.get`', request: 'GET /contacts/{id}', here: '`GET /subscribers/{email}`' },
  {
    calls: '`contacts.update`',
    request: 'PATCH /contacts/{id}',
    body: {},
    here: '`POST /subscribers` with the same address',
  },
  {
    calls: '`contacts.remove`',
    request: 'DELETE /contacts/{id}',
    here: '`DELETE /subscribers/{email}`',
  },
  {
    calls: '`contactProperties.*`',
    request: 'GET /contact-properties',
    here: '`fields` of a subscriber',
  },
  { calls: '`audiences.*`', request: 'GET /audiences', here: 'One list in each workspace; tags' },
  { calls: '`segments.*`', request: 'GET /segments', here: 'One list in each workspace; tags' },
  {
    calls: '`broadcasts.create`',
    request: 'POST /broadcasts',
    body: { name: 'News' },
    here: '`POST /campaigns`, then `POST /campaigns/{id}/send`',
  },
  { calls: '`broadcasts.list`', request: 'GET /broadcasts', here: '`GET /campaigns`' },
  { calls: '`templates.*`', request: 'GET /templates', here: 'Give `html` or `text`' },
  {
    calls: '`topics.*`',
    request: 'GET /topics',
    here: 'Tags; who unsubscribes gets no more campaigns',
  },
  { calls: '`domains.*`', request: 'GET /domains', here: operator },
  { calls: '`domains.verify`', request: 'POST /domains/{id}/verify', here: operator },
  { calls: '`apiKeys.*`', request: 'GET /api-keys', here: operator },
  {
    calls: '`logs.*`',
    request: 'GET /logs',
    here: '`GET /emails`, and `GET /webhooks/{id}/deliveries`',
  },
  {
    calls: '`events.list`',
    request: 'GET /events',
    status: 200,
    here: 'Something else: the events that webhooks receive',
  },
  {
    calls: '`events.send`',
    request: 'POST /events/send',
    body: { event: 'x' },
    here: 'There are no automations',
  },
  { calls: '`automations.*`', request: 'GET /automations', here: 'There are no automations' },
  {
    calls: '`suppressions.*`',
    request: 'GET /suppressions',
    here: '`GET /suppression`, `POST /suppression`',
  },
]

export const resendGuide = (baseUrl: string): string => `## Migrating from Resend

Programs that send through the \`resend\` SDK go on as they are: give them a key and the address of this service.

\`\`\`sh
export RESEND_API_KEY=fct_live_…
export RESEND_BASE_URL=${baseUrl}/api/v1
\`\`\`

\`new Resend(key, { baseUrl: '${baseUrl}/api/v1' })\` does the same in code.

### The address for each SDK

${table(
  ['SDK', 'How'],
  [
    [
      'Node.js',
      `\`RESEND_BASE_URL=${baseUrl}/api/v1\`, or \`baseUrl\` of the constructor; no slash at the end`,
    ],
    [
      'Python',
      `\`RESEND_API_URL=${baseUrl}/api/v1\`, or \`resend.api_url = "…"\`; no slash at the end`,
    ],
    [
      'Go',
      `\`RESEND_BASE_URL=${baseUrl}/api/v1/\`, or \`client.BaseURL\`; with a slash at the end, without which Go drops \`v1\``,
    ],
    ['Rust', `\`RESEND_BASE_URL=${baseUrl}/api/v1\`, or \`base_url\` of its \`ConfigBuilder\``],
    [
      'Java',
      'No setting: the address is a constant. Give the constructor an `IHttpClient` of your own that puts this address in its place',
    ],
    [
      '.NET',
      `\`ResendClientOptions.ApiUrl = "${baseUrl}"\`. Most paths of the SDK begin with a slash, which drops a path of the address: a \`DelegatingHandler\` of its \`HttpClient\` puts \`/api/v1\` before them`,
    ],
    ['Elixir', `\`config :resend, Resend.Client, base_url: "${baseUrl}/api/v1"\``],
    ['PHP', `\`RESEND_BASE_URL=${baseUrl}/api/v1\``],
    ['Ruby', 'The address is a constant of its class: `Resend::Request::BASE_URL`'],
  ],
)}

### Unchanged

${table(
  ['Call of the SDK', 'Here'],
  [
    [
      '`emails.send`',
      '`POST /emails`, with `cc`, `bcc`, `replyTo`, `headers`, `tags`, `attachments` (content in base64, as a Buffer or as a list of bytes, `contentId` for inline pictures), `scheduledAt` and `idempotencyKey`',
    ],
    ['`batch.send`', '`POST /emails/batch`: 100 messages, all or none'],
    [
      '`emails.get`, `emails.list`',
      '`GET /emails/{id}`, `GET /emails`, with `limit`, `after`, `before`; `last_event` is there',
    ],
    ['`emails.update`, `emails.cancel`', '`PATCH /emails/{id}`, `POST /emails/{id}/cancel`'],
    [
      '`webhooks.list`, `webhooks.get`, `webhooks.remove`',
      '`GET /webhooks`, `GET /webhooks/{id}`, `DELETE /webhooks/{id}`',
    ],
    [
      '`webhooks.verify`',
      'Works on our calls: hand it `webhook-id`, `webhook-timestamp` and `webhook-signature`',
    ],
    [
      '`error` of any call',
      '`name`, `message`, `statusCode` as before; the names are those of [Errors](#errors)',
    ],
  ],
)}

### The answer of each call

Paths follow \`${baseUrl}/api/v1\`. A call that answers 404 here has no counterpart; the last column says what to use instead.

${table(
  ['Call', 'Request', 'Answer', 'Here'],
  resendCalls.map(({ calls, request, status = 404, here }) => [
    calls,
    `\`${request}\``,
    String(status),
    here,
  ]),
)}

### Differences

${table(
  ['With Resend', 'Here'],
  [
    [
      '`email.suppressed` reports a suppressed recipient afterwards',
      'The whole call is refused: 422 `suppressed_recipient` names them, and nothing is sent',
    ],
    [
      '`scheduledAt: "in 1 min"`',
      'RFC 3339 only, at most a year ahead, such as `2026-12-24T08:00:00Z`',
    ],
    ['`template`, `topicId`', 'Refused by name: give `html` or `text`; there are no topics'],
    [
      'A batch with `batchValidation: "permissive"`',
      'Refused: a batch is sent whole or not at all',
    ],
    [
      '`react`',
      'The SDK renders it before it calls: works as before, with `@react-email/render` installed',
    ],
    ['`attachments[].path`', 'Refused, nothing is fetched: give `content`'],
    ['Keys `re_…`', 'Keys `fct_live_…`, with [permissions](#authentication) that never change'],
    [
      'A rate for each second and team, in `ratelimit-*`',
      `${limits.requestsPerMinute} requests of a key in any minute, or what the operator has set, in \`X-RateLimit-*\`; \`Retry-After\` on 429`,
    ],
    [
      'Test addresses `…@resend.dev`',
      'Addresses `…@simulator.test` in the capture mailbox, which is what a service without a relay sends to',
    ],
  ],
)}

### Domains

A domain belongs to a workspace and is verified by its operator: \`facteur domain add --workspace W example.com\` shows the DNS records to set, \`facteur domain verify --workspace W example.com\` looks
them up. DKIM keys, the host that bounces come back to and the host of links have names of their own, so the records for Resend can stay in the zone until nothing is sent through it any more. The SDK's \`domains.*\` and
\`apiKeys.*\` answer 404: an API key can make neither a domain nor another key.

### Your receivers

Resend signs with \`svix-id\`, \`svix-timestamp\`, \`svix-signature\`; the same scheme comes here as \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\`, and the secret has the same form, \`whsec_…\`.
A receiver that verifies with the \`standardwebhooks\` package, or with \`resend.webhooks.verify\`, changes the names of three headers. See [Receiving webhooks](#receiving-webhooks).

${table(
  ['Type there', 'Type here'],
  [
    [
      '`email.sent`, `email.delivered`, `email.bounced`, `email.complained`, `email.opened`, `email.clicked`, `email.failed`',
      'The same names, with `data.email_id`, `from`, `to`, `subject`, `tags`, `created_at`, and `data.bounce`, `data.click` where they belong',
    ],
    [
      '`email.delivery_delayed`, `email.scheduled`, `email.suppressed`, `email.received`',
      'None: read the message',
    ],
    ['`contact.created`', '`subscriber.created`'],
    [
      '`contact.updated`, `contact.deleted`, `domain.created`, `domain.updated`, `domain.deleted`',
      'None',
    ],
  ],
)}

The SDK's \`webhooks.create\` names the URL \`endpoint\`, which is refused here (422): it is \`url\`. Its \`webhooks.update\` changes \`events\`; \`endpoint\` and \`status\`
are refused by name. Make, move and suspend subscriptions by the API itself ([create](${placeOf('createWebhook')}), [change](${placeOf('updateWebhook')})).

### Contacts and broadcasts

Contacts, in segments (audiences once), are [subscribers](#subscribers): one list in each workspace, with tags and fields. Broadcasts are [campaigns](#campaigns), which go to every subscribed contact.
Export your contacts as CSV and import them with a statement of their consent: \`facteur subscriber import --workspace W --consent "Signed up on our site" contacts.csv\`. Contacts who unsubscribed must stay
out: \`facteur suppression import\` takes their addresses first. The SDK's \`contacts.*\`, \`segments.*\`, \`audiences.*\` and \`broadcasts.*\` answer 404 here.`
