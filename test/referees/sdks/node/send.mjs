// Calls Facteur with Resend's SDK for Node.js as it comes, and prints one line of JSON for each step (see sdks.test.ts).
import { Resend } from 'resend'

const resend = new Resend()
const mail = {
  from: 'Boutique <hello@shop.test>',
  to: ['camille@example.com'],
  subject: 'Commande n° 1042 ✓',
  html: '<p>Bonjour</p>',
  text: 'Bonjour',
}

async function step(name, call, read) {
  const { data, error } = await call
  const line = error
    ? { status: error.statusCode, code: error.name, message: error.message }
    : { answer: read(data) }
  console.log(JSON.stringify({ step: name, ...line }))
}

const idOf = ({ id }) => [id]
const send = (name, changes, client = resend) =>
  step(name, client.emails.send({ ...mail, ...changes }), idOf)
const sendBatch = (name, mails) =>
  step(name, resend.batch.send(mails), ({ data }) => data.map(({ id }) => id))

await send('send', {
  replyTo: 'answers@example.com',
  headers: { 'X-Order': '1042' },
  tags: [{ name: 'order', value: '1042' }],
  attachments: [
    { filename: 'reçu.bin', content: Buffer.from(Array.from({ length: 256 }, (_, n) => n)) },
    { filename: 'logo.png', content: Buffer.from('\u0089PNG', 'latin1'), contentId: 'logo' },
  ],
})
await sendBatch('batch', [mail, { ...mail, subject: 'Second' }])
const { data: sent } = await resend.emails.send(mail)
await step('get', resend.emails.get(sent.id), ({ id, subject, html, text }) => [
  id,
  subject,
  html,
  text,
])
await send('bad address', { to: ['nobody'] })
await send('other domain', { from: 'hello@elsewhere.test' })
await send('suppressed', { to: ['gone@example.com'] })
await sendBatch('bad batch', [mail, { ...mail, to: ['nobody'] }])
await send('wrong key', {}, new Resend(process.env.OTHER_KEY))
