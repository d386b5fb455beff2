/** Commands on the embedded database: beside the running service, and with the service stopped. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { livingOwner } from '../../src/database/embedded/data-owner.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import {
  here,
  lastDatabaseLine,
  ownerPid,
  postmasterPid,
  startProgram,
} from '../support/service.ts'
import { createOperator, runProgram } from './facteur.ts'

const folder = join(makeTemporaryFolder('cli'), 'data')
const operator = createOperator({ FACTEUR_DATA: folder })

test('service stopped, nothing there yet: the command makes the database, uses it and stops it', async () => {
  assert.partialDeepStrictEqual(await operator.json(['workspace', 'create', 'Acme']), {
    id: '1',
    slug: 'acme',
  })
  assert.equal(livingOwner(folder), null)
  assert.match(lastDatabaseLine(folder), /database system is shut down/)
})

test('service stopped: it is stopped again also when the command is refused', async () => {
  const output = await operator.run(['workspace', 'show', 'nobody'])
  assert.deepEqual(
    [output.code, output.stderr],
    [1, 'There is no workspace "nobody". "facteur workspace list" shows all.\n'],
  )
  assert.equal(livingOwner(folder), null)
  assert.match(lastDatabaseLine(folder), /database system is shut down/)
})

test('service stopped, two commands at once: one waits for the other and says so once', async () => {
  const both = await Promise.all([
    operator.run(['workspace', 'list']),
    operator.run(['workspace', 'list']),
  ])
  for (const text of both) {
    assert.equal(text.code, 0)
    assert.match(text.stderr, /^(Waiting for another command \(process \d+\)\n)?$/)
    assert.match(text.stdout.toString(), /acme/)
  }
})

test('service running: changes of a command hold at the API at once, and the service is left alone', async (t) => {
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  const before = [ownerPid(folder), postmasterPid(folder)]
  await operator.json(['domain', 'add', '--workspace', 'acme', 'acme.test'])
  await operator.json(['domain', 'verify', '--workspace', 'acme', 'acme.test', '--force'])
  await operator.json(['sender', 'add', '--workspace', 'acme', 'hello@acme.test', '--name', 'Acme'])
  const created = await operator.json([
    'key',
    'create',
    '--workspace',
    'acme',
    '--name',
    'shop',
    '--scopes',
    'emails:send',
  ])
  const headers = { 'x-api-key': String(at(created, 'key')), 'content-type': 'application/json' }
  const base = `http://127.0.0.1:${service.port}/api/v1`

  const mail = {
    from: 'Acme <hello@acme.test>',
    to: 'delivered@simulator.test',
    subject: 'Hello',
    text: 'It works.',
  }
  const sent = await fetch(`${base}/emails`, {
    method: 'POST',
    headers,
    body: JSON.stringify(mail),
  })
  assert.equal(sent.status, 202)
  const email: unknown = await sent.json()
  const captured = await untilCaptured()
  assert.equal(at(captured, 'email_id'), at(email, 'id'))
  const raw = await operator.run([
    'captured',
    'raw',
    '--workspace',
    'acme',
    String(at(captured, 'id')),
  ])
  assert.match(raw.stdout.toString(), /^(?:.*\r\n)*Subject: Hello\r\n[^]*\r\n\r\nIt works\./)

  await operator.json(['suppression', 'add', '--workspace', 'acme', 'delivered@simulator.test'])
  assert.equal(
    (await fetch(`${base}/emails`, { method: 'POST', headers, body: JSON.stringify(mail) })).status,
    422,
  )
  await operator.json(['key', 'revoke', String(at(created, 'id'))])
  assert.equal((await fetch(`${base}/me`, { headers })).status, 401)
  assert.deepEqual([ownerPid(folder), postmasterPid(folder)], before)
})

test('the command that operators install, `bin/facteur.mjs`, passes words, output and exit code on', async () => {
  const bin = join(here, 'bin', 'facteur.mjs')
  const [listed, wrong] = [
    await runProgram([bin, 'workspace', 'list', '--json'], { FACTEUR_DATA: folder }),
    await runProgram([bin, 'workspace', 'lits'], { FACTEUR_DATA: folder }),
  ]
  assert.deepEqual([listed.code, listed.stderr, wrong.code], [0, '', 2], listed.stdout.toString())
  assert.equal(at(JSON.parse(listed.stdout.toString()), 'data', '0', 'slug'), 'acme')
  assert.equal(wrong.stderr, 'There is no command "workspace lits": did you mean workspace list?\n')
})

/** The mail is captured by a worker: asking again is how an operator waits, too. */
async function untilCaptured(): Promise<unknown> {
  for (let requested = 0; requested < 20; requested++) {
    const list = await operator.json(['captured', 'list', '--workspace', 'acme'])
    if (at(list, 'data', '0') !== undefined) return at(list, 'data', '0')
  }
  assert.fail('The mail was never captured')
}
