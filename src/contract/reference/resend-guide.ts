/** Writes the guide to migrating from Resend. Tests run its calls with the unmodified SDK. */
import { hintText } from '../hints.ts'
import { limits } from '../limits.ts'
import { table } from './markdown.ts'
import { resendCalls } from './resend-calls.ts'
import { placeOf } from './operation-part.ts'

export const resendGuide = (baseUrl: string): string => `## Migrating from Resend

Programs that send through the \`resend\` SDK go on as they are: give them a key and the address of this service.

\`\`\`sh
export RESEND_API_KEY=fct_live_…
export RESEND_BASE_URL=${baseUrl}/api/v1
\`\`\`

\`new Resend(key, { baseUrl: '${baseUrl}/api/v1' })\` does the same in code.

A whole move, with senders by SMTP, lists, forms and receivers, step by step: \`docs/moving-in.md\`.

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
    [
      'PHP',
      `\`RESEND_BASE_URL=${baseUrl}/api/v1\`. Of an \`ErrorException\` read \`getErrorMessage\`: its two other getters look for fields that our \`error\` does not have, and throw`,
    ],
    ['Ruby', `\`RESEND_BASE_URL=${baseUrl}/api/v1/\`, with a slash at the end`],
  ],
)}

### Unchanged

${table(
  ['Call of the SDK', 'Here'],
  [
    [
      '`emails.send`',
      '`POST /emails`, with `cc`, `bcc`, `replyTo`, `headers`, `tags`, `attachments` (content in base64, as a Buffer, as a list of bytes or by `path`, `contentId` for inline pictures), `scheduledAt` and `idempotencyKey`',
    ],
    ['`batch.send`', '`POST /emails/batch`: 100 messages, all or none'],
    [
      '`emails.get`, `emails.list`',
      '`GET /emails/{id}`, `GET /emails`, with `limit`, `after`, `before`; `last_event` is there',
    ],
    ['`emails.update`, `emails.cancel`', '`PATCH /emails/{id}`, `POST /emails/{id}/cancel`'],
    [
      '`webhooks.create`, `list`, `get`, `update`, `remove`, `rotateSigningSecret`',
      'The [webhooks](#webhooks) of the workspace: `endpoint`, `status` and `signing_secret` are there beside our `url`, `enabled` and `secret`',
    ],
    [
      '`webhooks.verify`',
      'Works on our calls: they carry `svix-id`, `svix-timestamp` and `svix-signature`',
    ],
    [
      '`error` of any call',
      '`name`, `message`, `statusCode` as before; the names are those of [Errors](#errors)',
    ],
  ],
)}

### The answer of each call

Paths follow \`${baseUrl}/api/v1\`. A call that answers 404 \`not_found\` has no counterpart; its message is the last column, which says what to use instead.
\`docs/resend-sdks.md\` in the repository has each of them with the SDKs for Node.js and Python, as tests compare their answers with the database, and sends in seven languages.

${table(
  ['Call', 'Request', 'Answer', 'Here'],
  resendCalls.map(({ call, request, status = 404, here = '', way }) => [
    `\`${call}\``,
    `\`${request}\``,
    String(status),
    way ? hintText(way, 'en') : here,
  ]),
)}

### Differences

${table(
  ['With Resend', 'Here'],
  [
    [
      '`email.suppressed` reports a recipient who was suppressed before the call',
      'The whole call is refused: 422 `suppressed_recipient` names them, and nothing is sent',
    ],
    [
      '`scheduledAt: "in 1 min"`',
      '`in`, a number and a unit from seconds to weeks; `today`, `tomorrow` or a weekday with a time, such as `Friday at 3pm ET`; or RFC 3339. UTC unless a zone is named, at most a year ahead; other words are refused, and answers have the instant in `scheduled_at`',
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
    [
      '`attachments[].path`',
      `Fetched before the call is answered, by https alone, without redirects: at most ${limits.fetchedFilesMax} files of a message and ${limits.fetchesPerMinute} of a workspace in a minute, ` +
        `within ${limits.fetchSecondsMax} seconds and 25 MB for all files of a message. A file that does not come refuses the call: 422. Refused in a batch`,
    ],
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

A domain belongs to a workspace. \`domains.create\`, \`list\`, \`get\` and \`verify\` of the SDK add domains and check them, with a key that has \`domains:read\` and \`domains:write\`; \`facteur domain add\` and
\`domain verify\` do the same. DKIM keys, the host that bounces come back to and the host of links have names of their own, so the records for Resend can stay in the zone until nothing is sent through it any more.
The names of records are whole. No key removes a domain, and no key makes another: \`apiKeys.*\` answer 404.

### Logs and suppressions

\`logs.*\` read the [log of calls](${placeOf('listRequests')}) with a key that has \`logs:read\`. \`suppressions.*\` read the [suppression list](${placeOf('listSuppression')}) and add to it; no call takes an address off it.

### Your receivers

Our calls carry \`svix-id\`, \`svix-timestamp\` and \`svix-signature\` as those of Resend do, beside our own headers; the secret has the same form, \`whsec_…\`.
A receiver that verifies with \`resend.webhooks.verify\` or the \`svix\` package stays as it is, but for the secret. See [Receiving webhooks](#receiving-webhooks).

${table(
  ['Type there', 'Type here'],
  [
    [
      '`email.sent`, `email.delivered`, `email.delivery_delayed`, `email.bounced`, `email.complained`, `email.opened`, `email.clicked`, `email.failed`, `email.scheduled`, `email.suppressed`',
      'The same names, with the fields that the SDK types, beside ours. One event for each recipient; of a mail of a campaign `email_id` is null and `broadcast_id` says which',
    ],
    ['`contact.created`, `contact.updated`', 'The same names, with the fields that the SDK types'],
    [
      '`contact.deleted`',
      'None: who is removed has unsubscribed, which is `contact.updated`; an erased contact leaves no address to report',
    ],
    ['`suppression.added`', '`suppression.created`'],
    [
      '`suppression.removed`, `contact.topics.updated`, `email.received`, `domain.created`, `domain.updated`, `domain.deleted`, `topic.*`, `inbox.*`',
      'None: 422 when a webhook names one, with our way',
    ],
  ],
)}

A webhook receives the types that it names and no others. What differs within the same type:

${table(
  ['Type', 'Here'],
  [
    ['`email.bounced`', '`bounce.type` and `subType` are `hard`: others are `email.failed`'],
    ['`email.clicked`', '`click.ipAddress` is empty: the addresses of readers are given to nobody'],
    [
      '`email.delivery_delayed`',
      'At each attempt that a mail host puts off, and when a notice by mail says so; `error` has its words',
    ],
    ['`email.scheduled`', 'When a message is accepted for later; another time publishes nothing'],
    [
      '`email.suppressed`',
      'Single messages whose recipient was suppressed after they were accepted; `email.failed` comes too. Recipients who are suppressed when the call comes refuse the call. Those whom a campaign leaves out are counted in `campaign.sent`',
    ],
    [
      '`contact.created`, `contact.updated`',
      '`audience_id` is the one segment; `unsubscribed` is true too after a bounce or a complaint. Bounces, complaints, imports of known contacts, erasures and changes of a tag or field everywhere publish no `contact.updated`',
    ],
  ],
)}

### Contacts and broadcasts

Contacts, in segments (audiences once), are [subscribers](#subscribers): one list in each workspace, with tags and fields. Broadcasts are [campaigns](#campaigns), which go to every subscribed contact.
Export your contacts as CSV and import them with a statement of their consent: \`facteur subscriber import --workspace W --consent "Signed up on our site" contacts.csv\`. Contacts who unsubscribed must stay
out: \`facteur suppression import\` takes their addresses first. \`contacts.*\` of the SDK work: who is created is pending until they confirm by the mail that is sent to them, and who is removed has unsubscribed; the record stays. \`segments.list\` has one entry, everyone subscribed. \`broadcasts.*\` write, schedule, send, cancel and copy campaigns; \`{{{FIRST_NAME|you}}}\` in them is \`{{firstName | default: "you"}}\` here, and no number of braces means that a value is not escaped.`
