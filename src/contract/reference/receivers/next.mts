// app/hooks/facteur/route.ts
import { verifyWebhook, WebhookSignatureError } from 'facteur/client'

const secret = process.env.FACTEUR_WEBHOOK_SECRET ?? ''
const seen = new Set<string>() // yours: a table whose key is the event's id

export async function POST(request: Request): Promise<Response> {
  try {
    const event = await verifyWebhook({
      body: await request.text(),
      headers: request.headers,
      secret,
    })
    if (!seen.has(event.id)) {
      seen.add(event.id)
      console.log(event.id, event.type)
    }
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof WebhookSignatureError) return new Response(null, { status: 400 })
    throw error
  }
}
