// PORT=8080 FACTEUR_WEBHOOK_SECRET=whsec_… node receiver.mjs
import { createServer } from 'node:http'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

const webhook = new Webhook(process.env.FACTEUR_WEBHOOK_SECRET)
const seen = new Set() // yours: a table whose key is the event's id

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    const event = webhook.verify(Buffer.concat(chunks), request.headers)
    if (!seen.has(event.id)) {
      seen.add(event.id)
      console.log(event.id, event.type)
    }
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.writeHead(400).end()
  }
}).listen(process.env.PORT)
