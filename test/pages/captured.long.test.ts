/** A captured mail of 20 MB is read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'

const api = await startApi({ entry: operatorEntryPoints({ host: '0.0.0.0' }) })
const workspace = await api.workspace('pages')

interface Page {
  status: number
  headers: Headers
  text: string
}

async function query(
  path: string,
  headers: Record<string, string> = {},
  base = api.baseUrl,
): Promise<Page> {
  const response = await fetch(base + path, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function send(from: TestWorkspace, mail: object): Promise<string> {
  const body = {
    from: `Demo <hello@${from.domain}>`,
    to: 'you@example.com',
    subject: 'Hello',
    text: 'It works.',
    ...mail,
  }
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', { key: from.key, body })
  assertAnswered(answer, 202)
  const id = textAt(answer, 'id')
  await from.capturedMails(id, 1)
  return id
}

/** Addresses of the mails that a list shows. */
const mailsOn = ({ text }: Page): string[] =>
  [...text.matchAll(/href="(\/captured\/[\w-]+\/[\w-]+)"/g)].map((match) => match[1] ?? '')

const newest = async (): Promise<string> =>
  mailsOn(await query('/captured'))[0] ?? assert.fail('the list is empty')

test('a mail of 20 MB is read, and its file comes back whole', async () => {
  const content = Buffer.alloc(14_000_000, 'facteur ')
  await send(workspace, {
    subject: 'Large',
    attachments: [{ filename: 'large.bin', content: content.toString('base64') }],
  })
  const path = await newest()
  assert.match((await query(path)).text, /large\.bin[^]*14 Mo/)
  const file = await fetch(`${api.baseUrl}${path}/files/0`)
  assert.ok(Buffer.from(await file.arrayBuffer()).equals(content))
})
