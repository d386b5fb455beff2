/**
 * The port for programs that another process of this machine has: a start goes on without one that
 * nobody asked for, and refuses one that the settings name.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startProgram, type Scope } from '../support/service.ts'
import { until } from '../support/until.ts'

const folder = join(makeTemporaryFolder('submission-port'), 'data')

/** Null while another process has the port. */
async function listen(port: number): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy())
  server.listen(port, '127.0.0.1')
  return once(server, 'listening').then(
    () => server,
    () => null,
  )
}

/** Another process of this machine may have it until then. */
async function take(t: Scope, port: number): Promise<number> {
  const server = await until(() => listen(port))
  t.after(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('a port that the settings name is taken: the start says so, and ends', async (t) => {
  const port = await take(t, 0)
  const service = await startProgram(t, {
    folder,
    env: { FACTEUR_SUBMISSION_PORT: String(port) },
  })
  assert.equal((await service.ended).code, 1)
  assert.equal(
    service.output().trim(),
    `Cannot listen on 127.0.0.1:${port}: another program has this port; stop it, or set FACTEUR_SUBMISSION_PORT.`,
  )
})

test('2587 is taken, and nobody asked for it: the start goes on, says why no mail is taken by SMTP, and offers no port', async (t) => {
  await take(t, 2587)
  const service = await startProgram(t, { folder })
  await service.saying('"msg":"ready"')
  const sentence =
    'No mail is taken by SMTP. Cannot listen on 127.0.0.1:2587: another program has this port; stop it, or set FACTEUR_SUBMISSION_PORT.'
  assert.ok(service.output().includes(sentence), service.output())
  assert.doesNotMatch(service.output(), /SMTP for programs/)
  const answer = await fetch(`http://127.0.0.1:${service.port}/api/v1/me`)
  assert.equal(answer.status, 401)
})
