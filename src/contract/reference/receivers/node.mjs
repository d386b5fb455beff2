// PORT=8080 FACTEUR_WEBHOOK_SECRET=whsec_… node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.env.FACTEUR_WEBHOOK_SECRET
const seen = new Set() // yours: a table whose key is the event's id

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  if (!isGenuine(request.headers['service-signature'] ?? '', body))
    return response.writeHead(400).end()
  const event = JSON.parse(body)
  if (!seen.has(event.id)) {
    seen.add(event.id)
    console.log(event.id, event.type)
  }
  response.writeHead(204).end()
}).listen(process.env.PORT)

function isGenuine(header, body) {
  const parts = header.split(',').map((part) => part.split('='))
  const [, at] = parts.find(([name]) => name === 't') ?? []
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= 300)) return false
  const expected = createHmac('sha256', secret).update(`${at}.`).update(body).digest()
  return parts.some(([name, hex]) => {
    const given = Buffer.from(hex ?? '', 'hex')
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
