/**
 * The first story: a stranger starts it, pastes the printed line, and finds the mail; the next day
 * it is all still there.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here, run, startProgram, type Scope } from '../support/service.ts'
import { until } from '../support/until.ts'

const folder = join(makeTemporaryFolder('story'), 'data')

test('start, paste the curl line, see the mail on the page, by the API and by the command; stop, start, it is still there', async (t) => {
  if (spawnSync('curl', ['--version']).status !== 0) return t.skip('no curl on the PATH')
  const first = await startProgram(t, { folder })
  await first.saying('"msg":"ready"')
  const baseUrl = `http://127.0.0.1:${first.port}`
  const key = /^ +(fct_live_\S+)$/m.exec(first.output())?.[1] ?? assert.fail(first.output())
  const line = /^ +(curl .+)$/m.exec(first.output())?.[1] ?? assert.fail(first.output())

  const pasted = spawnSync('sh', ['-c', `${line} --silent --show-error`], { encoding: 'utf8' })
  assert.equal(pasted.status, 0, pasted.stderr)
  const accepted: unknown = JSON.parse(pasted.stdout)
  assert.partialDeepStrictEqual(accepted, {
    object: 'email',
    from: 'Demo <hello@demo.test>',
    to: ['you@example.com'],
    subject: 'Hello',
  })
  const id = String(at(accepted, 'id'))

  assert.deepEqual(await statusOnceKnown(baseUrl, key, id), 'delivered')
  const page = await (await fetch(`${baseUrl}/captured/api/v1/captured`)).text()
  assert.match(page, /you@example\.com/)
  assert.match(page, /Hello/)

  const listed = await command(t, 'captured', 'list', '--workspace', 'demo', '--json')
  assert.equal(at(listed, 'data', '0', 'recipient'), 'you@example.com')
  const raw = await output(
    t,
    'captured',
    'raw',
    '--workspace',
    'demo',
    String(at(listed, 'data', '0', 'id')),
  )
  const mail = await PostalMime.parse(raw)
  assert.equal(mail.subject, 'Hello')
  assert.equal(mail.text?.trim(), 'It works.')
  assert.equal(mail.from?.address, 'hello@demo.test')

  first.signalGroup('SIGINT')
  assert.deepEqual(await first.ended, { code: 0, signal: null })
  const second = await startProgram(t, { folder })
  await second.saying('"msg":"ready"')
  assert.deepEqual(await statusOnceKnown(`http://127.0.0.1:${second.port}`, key, id), 'delivered')
})

/** The status when nothing is under way any more. */
async function statusOnceKnown(baseUrl: string, key: string, id: string): Promise<unknown> {
  const read = async () =>
    at(
      await (
        await fetch(`${baseUrl}/api/v1/emails/${id}`, {
          headers: { authorization: `Bearer ${key}` },
        })
      ).json(),
      'status',
    )
  return until(read, (status) => !['queued', 'sent'].includes(String(status)))
}

async function output(scope: Scope, ...words: string[]): Promise<string> {
  const program = run(scope, process.execPath, [join(here, 'bin', 'facteur.mjs'), ...words], {
    cwd: here,
    env: { FACTEUR_DATA: folder },
  })
  assert.deepEqual(await program.ended, { code: 0, signal: null }, program.output())
  return program.output()
}

const command = async (scope: Scope, ...words: string[]): Promise<unknown> =>
  JSON.parse(await output(scope, ...words))
