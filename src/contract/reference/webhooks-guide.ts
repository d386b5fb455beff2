/** Writes the guide to receiving webhooks: the events, their verification, and their handling. */
import { eventBody, eventKinds, eventTypes, type EventType } from '../events.ts'
import { exampleOf, plainSchema } from '../json-schema.ts'
import { fieldTable } from './fields.ts'
import { folded, json, table } from './markdown.ts'
import { placeOf } from './operation-part.ts'
import { receiversText } from './receivers.ts'

export const webhooksGuide = (): string => `## Receiving webhooks

A webhook is a subscription: a URL of yours and the types of event that it receives ([create one](${placeOf('createWebhook')})). When something happens, the event is
written down in the same transaction, and posted to the URL until it is taken. No event is lost; one may come twice.

${json(exampleOf(plainSchema(eventBody('email.bounced'))))}

### Handling a call

1. Take the body as bytes, before anything parses it: the signature is over these bytes.
2. Compute the signature and compare in constant time. Answer 400 to what does not fit.
3. Refuse a \`t\` that is more than 300 seconds away from your clock: otherwise an attacker could repeat an intercepted call for ever.
4. Look whether you have the event's \`id\` already, and keep it, in one step: the same event comes again when your answer was lost.
5. Answer 2xx within 15 seconds, and once the event is safe with you. Do longer work afterwards.

Do not rely on the order: a retried event arrives after later ones. \`created_at\` is the time at which it was recorded.

### Signatures

Each call is signed in two ways, freshly at every attempt. Use either.

${table(
  ['Header', 'Value'],
  [
    [
      '`Service-Signature`',
      '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`, keyed with the text of the secret, `whsec_` included',
    ],
    ['`webhook-id`', "The event's `id`"],
    ['`webhook-timestamp`', 'Unix seconds'],
    [
      '`webhook-signature`',
      '`v1,<base64>`: HMAC-SHA256 of `<id>.<timestamp>.<body>`, keyed with the 32 bytes that follow `whsec_` in base64',
    ],
    [
      '`svix-id`, `svix-timestamp`, `svix-signature`',
      'The same three values, where receivers that were written for Resend or Svix look',
    ],
  ],
)}

The first is the scheme of \`stripe.webhooks.constructEvent(body, header, secret)\`, the others are [Standard Webhooks](https://www.standardwebhooks.com/), for which many languages
have a library; the \`svix\` package and \`resend.webhooks.verify\` accept them by either name. While a secret is being replaced ([change a webhook's secret](${placeOf('rotateWebhookSecret')})) a call carries a signature by each of the two: one that fits is enough.

### Receivers

Whole programs, run by our tests as they stand. Each takes the secret from \`FACTEUR_WEBHOOK_SECRET\` and prints an event once.

${receiversText()}

### Retries, the journal and catching up

An answer other than 2xx, an answer that is not complete within 15 seconds, a redirect: a failure. Then again after 30 seconds, 2 minutes, 10 minutes and 1 hour; after that the delivery is \`failed\`.
A slow receiver delays only what goes to its own host. The [journal](${placeOf('listWebhookDeliveries')}) has the status code and the first 1,000 characters of the response of each attempt, until they expire: after 30 days, unless the workspace has a shorter limit or the installation another one.

* [Test a webhook](${placeOf('testWebhook')}) posts an event with \`data\` = \`{"test": true}\` and returns your service's answer.
* [Replay a delivery](${placeOf('replayWebhookDelivery')}), or [all events of a time](${placeOf('replayWebhookEvents')}), with the same bytes and \`id\`.
* [Read events](${placeOf('listEvents')}) by polling, with \`after=\` the last \`id\` that you have.

A webhook that is disabled keeps its journal and gets nothing new.

### Types of event

${table(
  ['Type', 'When'],
  eventTypes.map((type) => [`\`${type}\``, eventKinds[type].summary]),
)}

${eventTypes.map(dataOf).join('\n\n')}`

/** Types with the same data share a table under all their names. */
const dataOf = (type: EventType): string =>
  folded(
    `<code>data</code> of <code>${type}</code>`,
    [
      json(exampleOf(plainSchema(eventKinds[type].data))),
      fieldTable(plainSchema(eventKinds[type].data)),
    ].join('\n\n'),
  )
