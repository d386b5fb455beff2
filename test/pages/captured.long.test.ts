/** A captured mail of 20 MB is read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'

const api = await startApi({ entry: operatorEntryPoints({ host: '0.0.0.0' }) })
const workspace = await api.workspace('pages')

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

test('a mail of 20 MB is read, and its file comes back whole', async () => {
  const content = Buffer.alloc(14_000_000, 'facteur ')
  await send(workspace, {
    subject: 'Large',
    attachments: [{ filename: 'large.bin', content: content.toString('base64') }],
  })
  const at = `${api.baseUrl}/captured/api/v1/captured`
  const list = JSON.parse(await (await fetch(at)).text())
  const mail = `${at}/${list.data[0].id}`
  assert.match(await (await fetch(`${mail}?workspace=pages`)).text(), /large\.bin[^]*14000000/)
  const file = await fetch(`${mail}/files/0?workspace=pages`)
  assert.ok(Buffer.from(await file.arrayBuffer()).equals(content))
})
