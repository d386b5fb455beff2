/** Writes the reference's part on the included TypeScript client. */

export const clientPart = (): string => `## The TypeScript client

\`facteur/client\` has one typed method for each operation, under its name, and needs no other package. \`npm pack ./client\` in the service's repository makes
a file that \`npm install\` takes; Node.js 20 or newer, and other places that have \`fetch\` and Web Crypto.

* Arguments: what the path names, then the body or the query, then options: \`idempotencyKey\` (sends, batches and files of subscribers), \`signal\`, \`onAnswer\` (status, headers and request id of an answer).
* A refusal is thrown as a \`FacteurError\` with \`code\`, \`status\`, \`details\`, \`requestId\`, \`retryAfter\`.
* A call is made again, twice at most (\`retries\`), only where that can do nothing twice: after a 429, when \`Retry-After\` has passed (a minute at most); and
  reads and sends after a lost connection or a 5xx, \`send_failed\` aside. A send without a key of yours is given one for this.
* \`each(facteur.listEmails, { status: 'bounced' })\` walks through all pages of a list with \`for await\`.
* \`verifyWebhook({ body, headers, secret })\` answers the event of a webhook call, or throws.`
