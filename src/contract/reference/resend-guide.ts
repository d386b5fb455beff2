/** The guide for those who send through Resend today. What it says of calls is run by tests with the unmodified SDK. */
import { table } from './markdown.ts'
import { placeOf } from './operation-part.ts'

export const resendGuide = (baseUrl: string): string => `## Migrating from Resend

Programs that send through the \`resend\` SDK go on as they are: give them a key and the address of this service.

\`\`\`sh
export RESEND_API_KEY=fct_live_…
export RESEND_BASE_URL=${baseUrl}/api/v1
\`\`\`

\`new Resend(key, { baseUrl: '${baseUrl}/api/v1' })\` does the same in code.

### What stays

${table(
  ['Call of the SDK', 'Here'],
  [
    [
      '`emails.send`',
      '`POST /emails`, with `cc`, `bcc`, `replyTo`, `headers`, `tags`, `attachments` (content in base64 or as a Buffer, `contentId` for inline pictures), `scheduledAt` and `idempotencyKey`',
    ],
    ['`batch.send`', '`POST /emails/batch`: 100 messages, all or none'],
    ['`emails.get`, `emails.list`', '`GET /emails/{id}`, `GET /emails`, with `limit`, `after`, `before`; `last_event` is there'],
    ['`emails.update`, `emails.cancel`', '`PATCH /emails/{id}`, `POST /emails/{id}/cancel`'],
    ['`webhooks.verify`', 'Works on our calls: hand it `webhook-id`, `webhook-timestamp` and `webhook-signature`'],
    ['`error` of any call', '`name`, `message`, `statusCode` as before; the names are those of [Errors](#errors)'],
  ],
)}

### What differs

${table(
  ['With Resend', 'Here'],
  [
    [
      'Suppressed recipients are dropped in silence',
      'The whole call is refused: 422 `suppressed_recipient` names them, and nothing is sent',
    ],
    ['`scheduledAt: "in 1 min"`', 'RFC 3339 only, at most a year ahead: `new Date(Date.now() + 60_000).toISOString()`'],
    ['`template`', 'Not known: give `html` or `text`. Both absent is refused'],
    ['`react`', 'The SDK renders it before it calls: works as before, with `@react-email/render` installed'],
    ['`attachments[].path`', 'Not fetched: give `content`'],
    ['Keys `re_…`', 'Keys `fct_live_…`, with [permissions](#authentication) that never change'],
    ['2 requests a second', '600 requests in any minute, or what the operator has set'],
    [
      'Test addresses `…@resend.dev`',
      'Addresses `…@simulator.test` in the capture mailbox, which is what a service without a relay sends to',
    ],
  ],
)}

### Domains

A domain is verified per workspace, by its operator: \`facteur domain add --workspace W example.com\`, then \`domain verify\`. The SDK's \`domains.*\` and \`apiKeys.*\` have no place here: an API
key can make neither a domain nor another key. Leave your records for Resend in the zone until nothing is sent through it any more: both can stand side by side.

### Your receivers

Resend signs with \`svix-id\`, \`svix-timestamp\`, \`svix-signature\`; the same scheme comes here as \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\`, and the secret has the same form, \`whsec_…\`.
A receiver that verifies with the \`standardwebhooks\` package, or with \`resend.webhooks.verify\`, changes the names of three headers. See [Receiving webhooks](#receiving-webhooks).

${table(
  ['Type there', 'Type here'],
  [
    [
      '`email.sent`, `email.delivered`, `email.bounced`, `email.complained`, `email.opened`, `email.clicked`, `email.failed`',
      'The same names; `data.email_id`, `data.from`, `data.to`, `data.subject`, `data.tags` are there',
    ],
    ['`email.delivery_delayed`, `email.scheduled`, `email.received`', 'None: read the message'],
    ['`contact.created`', '`subscriber.created`'],
    ['`contact.updated`, `contact.deleted`, `domain.*`', 'None'],
  ],
)}

\`webhooks.create\` of the SDK names the URL \`endpoint\`; here it is \`url\`: make subscriptions by [the API](${placeOf('createWebhook')}) itself.

### Audiences and broadcasts

Contacts and audiences are [subscribers](#subscribers): one list in each workspace, with tags and fields. Broadcasts are [campaigns](#campaigns), which go to everybody who is subscribed.
Export your contacts as CSV and import them with their consent told: \`facteur subscribers import --workspace W --consent "Signed up on our site" contacts.csv\`. Who had unsubscribed must stay
out: \`facteur suppression import\` takes their addresses first. The SDK's \`contacts.*\`, \`audiences.*\` and \`broadcasts.*\` answer 404 here.`
