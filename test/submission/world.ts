/** A service with a submission port beside its API, and what a program says to it. */
import { after } from 'node:test'
import { serveSubmission } from '../../src/entrypoints/submission/serve-submission.ts'
import type { SubmissionOptions } from '../../src/entrypoints/submission/submission-options.ts'
import { openIntake } from '../../src/core/intake.ts'
import { startApi, type Api, type ApiOptions } from '../support/api.ts'
import { talkTo, type Talk } from '../support/smtp-talk.ts'

export interface SubmissionWorld extends Api {
  port: number
  tlsPort: number
  /** The end of each mail and of each refused login, in order. */
  ends: string[]
  /** As a process does when it stops. */
  close: () => Promise<void>
}

export async function startSubmissionWorld(
  options: ApiOptions = {},
  submission: Partial<SubmissionOptions> = {},
): Promise<SubmissionWorld> {
  const api = await startApi(options)
  const ends: string[] = []
  const served = await serveSubmission(api.service, {
    ...{ host: '127.0.0.1', name: 'mail.facteur.test', port: 0, tlsPort: null, tls: null },
    intake: openIntake(),
    ends: { inc: ({ outcome }) => void ends.push(outcome) },
    ...submission,
  })
  const close = (): Promise<void> => served.close(500)
  after(close)
  return { ...api, port: served.port ?? 0, tlsPort: served.tlsPort ?? 0, ends, close }
}

/** As AUTH PLAIN has them (RFC 4616 2). */
export const plain = (user: string, password: string): string =>
  Buffer.from(`\0${user}\0${password}`).toString('base64')

/** A connection that has logged in. */
export async function logIn(port: number, key: string, user = 'facteur'): Promise<Talk> {
  const talk = await talkTo(port)
  await talk.heard()
  await talk.say('EHLO app.test')
  const reply = await talk.say(`AUTH PLAIN ${plain(user, key)}`)
  if (!reply.startsWith('235')) throw new Error(`The login was refused: ${reply}`)
  return talk
}

export interface ToSubmit {
  from?: string
  to: string[]
  lines: string[]
}

/** Hands one mail in; the reply to its final dot, or to the first command that was refused. */
export async function submit(talk: Talk, { from = '', to, lines }: ToSubmit): Promise<string> {
  for (const command of [
    `MAIL FROM:<${from}>`,
    ...to.map((entry) => `RCPT TO:<${entry}>`),
    'DATA',
  ]) {
    const reply = await talk.say(command)
    if (!/^[23]/.test(reply)) return reply
  }
  const dotted = lines.map((line) => (line.startsWith('.') ? `.${line}` : line))
  return talk.say([...dotted, '.'].join('\r\n'))
}
