// PORT=8080 FACTEUR_WEBHOOK_SECRET=whsec_… node receiver.mjs
import express from 'express'
import { verifyWebhook, WebhookSignatureError } from 'facteur/client'

const secret = process.env.FACTEUR_WEBHOOK_SECRET
const seen = new Set() // yours: a table whose key is the event's id
const app = express()

// The signature is over the bytes: this route must not have express.json() in front of it.
app.post(
  '/hooks/facteur',
  express.raw({ type: () => true, limit: '1mb' }),
  async (request, response) => {
    const event = await verifyWebhook({ body: request.body, headers: request.headers, secret })
    if (!seen.has(event.id)) {
      seen.add(event.id)
      console.log(event.id, event.type)
    }
    response.sendStatus(204)
  },
)

app.use((error, request, response, next) => {
  if (error instanceof WebhookSignatureError) response.sendStatus(400)
  else next(error)
})

app.listen(process.env.PORT)
