// PORT=8080 FACTEUR_WEBHOOK_SECRET=whsec_… node receiver.mjs
import Fastify from 'fastify'
import { verifyWebhook, WebhookSignatureError } from 'facteur/client'

const secret = process.env.FACTEUR_WEBHOOK_SECRET
const seen = new Set() // yours: a table whose key is the event's id
const app = Fastify()

app.register(async (hooks) => {
  // The signature is over the bytes: here, and only here, a body stays as it came.
  hooks.removeAllContentTypeParsers()
  hooks.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body))

  hooks.post('/hooks/facteur', async (request, reply) => {
    const event = await verifyWebhook({ body: request.body, headers: request.headers, secret })
    if (!seen.has(event.id)) {
      seen.add(event.id)
      console.log(event.id, event.type)
    }
    return reply.code(204).send()
  })
})

app.setErrorHandler((error, request, reply) =>
  reply.code(error instanceof WebhookSignatureError ? 400 : 500).send(),
)

await app.listen({ port: Number(process.env.PORT) })
