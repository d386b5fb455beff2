/** GET /api/v1/captured/{id}: a captured mail for a test that reads it: texts, links, files, code. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'

const api = await startApi()
const acme = await api.workspace('acme')
const other = await api.workspace('other')

/** Sends a mail, and answers it as a test reads it. */
async function captured(mail: object): Promise<{ id: string; answer: Answer }> {
  const body = { from: 'Demo <hello@acme.test>', to: 'ada@example.com', subject: 'Hello', ...mail }
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', { key: acme.key, body })
  await acme.capturedMails(textAt(sent, 'id'), 1)
  const list = await ask(api.baseUrl, 'GET /api/v1/captured?limit=1', { key: acme.key })
  const id = String(at(list.body, 'data', '0', 'id'))
  return { id, answer: await ask(api.baseUrl, `GET /api/v1/captured/${id}`, { key: acme.key }) }
}

test('200: text, HTML, headers, links, files with their bytes, and the code', async () => {
  const html =
    '<p>Your code is <b>482913</b>. <a href="https://shop.example/confirm?t=1">Confirm</a></p>'
  const { answer } = await captured({
    subject: 'Confirm your account',
    html,
    text: 'Your code is 482913. https://shop.example/confirm?t=1',
    headers: { 'X-Order': '1042' },
    attachments: [{ filename: 'terms.txt', content: Buffer.from('Terms').toString('base64') }],
  })
  assertAnswered(answer, 200, {
    recipient: 'ada@example.com',
    from: 'Demo <hello@acme.test>',
    subject: 'Confirm your account',
    otp: '482913',
    readable: true,
  })
  assert.match(String(at(answer.body, 'html')), /<b>482913<\/b>/)
  assert.match(String(at(answer.body, 'text')), /^Your code is 482913\./)
  const links = at(answer.body, 'links') as { address: string; text: string }[]
  assert.deepEqual(
    links.map(({ address, text }) => [address, text]),
    [['https://shop.example/confirm?t=1', 'Confirm']],
  )
  const headers = at(answer.body, 'headers') as { name: string; value: string }[]
  assert.equal(headers.find(({ name }) => name === 'X-Order')?.value, '1042')
  assert.deepEqual(at(answer.body, 'files'), [
    { position: 0, name: 'terms.txt', type: 'text/plain', size: 5, content: 'VGVybXM=' },
  ])
})

test('200: the code of a mail of HTML alone, and of a subject; null where there is none', async () => {
  const otp = async (mail: object): Promise<unknown> =>
    at((await captured(mail)).answer.body, 'otp')
  assert.equal(await otp({ html: '<p>Code:</p><table><tr><td>0042</td></tr></table>' }), '0042')
  assert.equal(await otp({ subject: '99887766 is your code', text: 'Type it.' }), '99887766')
  assert.equal(await otp({ text: 'Welcome!' }), null)
})

test('200: bytes of files that are too large together are left out', async () => {
  const content = Buffer.alloc(3 * 1024 * 1024 + 1, 'a').toString('base64')
  const { answer } = await captured({ text: 'x', attachments: [{ filename: 'a.txt', content }] })
  assert.deepEqual(at(answer.body, 'files', '0', 'content'), null)
  assert.equal(at(answer.body, 'files', '0', 'size'), 3 * 1024 * 1024 + 1)
})

test('404 not_found: of another workspace, and no mail at all', async () => {
  const { id } = await captured({ text: 'x' })
  for (const path of [id, acme.key.slice(0, 8), '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'])
    assertRefused(
      await ask(api.baseUrl, `GET /api/v1/captured/${path}`, { key: other.key }),
      'not_found',
    )
})
