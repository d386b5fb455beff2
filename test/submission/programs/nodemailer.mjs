// Hands the mail of content.json in by nodemailer, over one pooled connection.
import { readFileSync } from 'node:fs'
import { createTransport } from 'nodemailer'

const { HOST, PORT, KEY, TLS, CONTENT } = process.env
const content = JSON.parse(readFileSync(CONTENT, 'utf8'))
const transport = createTransport({
  host: HOST,
  port: Number(PORT),
  pool: true,
  secure: TLS === 'TLS',
  requireTLS: TLS === 'STARTTLS',
  auth: { user: 'facteur', pass: KEY },
})
const say = (step, reply) => console.log(JSON.stringify({ step, reply }))
for (const { step, from, to, bcc, subject } of content.mails) {
  try {
    const { response } = await transport.sendMail({
      from,
      to,
      bcc,
      subject,
      text: content.text,
      html: content.html,
      messageId: `<${step}@nodemailer.test>`,
      icalEvent: { method: 'REQUEST', content: content.calendar },
      attachments: [
        { filename: 'logo.png', content: Buffer.from(content.logo, 'base64'), cid: 'logo' },
        { filename: content.filename, content: Buffer.from(content.file, 'base64') },
      ],
    })
    say(step, response)
  } catch (error) {
    say(step, error.response ?? String(error))
  }
}
transport.close()
