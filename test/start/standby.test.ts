/**
 * An address that leads to a standby: each start and each command says so in one line, as `doctor`
 * does.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperator } from '../cli/facteur.ts'
import { startReplicated } from '../support/replicated-postgres.ts'
import { startProgram } from '../support/service.ts'

const sentence =
  /^DATABASE_URL: the database takes no writes: it is a standby, or was set to be read only\. Let DATABASE_URL name the primary/m

test('a start and the commands at a standby, with and without our tables', async (t) => {
  const postgres = await startReplicated(t, { synchronous: false })
  const { url } = postgres.standby()
  const env = { FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  for (const address of [url, url.replace(/facteur$/, 'postgres')]) {
    const service = await startProgram(t, { env: { ...env, DATABASE_URL: address } })
    assert.equal((await service.ended).code, 1, service.output())
    assert.match(service.output(), sentence)
    assert.doesNotMatch(service.output(), /^\s+at /m)
    const operator = createOperator({ ...env, DATABASE_URL: address })
    for (const line of [['migrate'], ['workspace', 'create', 'Acme']])
      assert.match((await operator.run(line)).stderr, sentence, `${line.join(' ')} at ${address}`)
  }
  assert.match(
    (await createOperator({ ...env, DATABASE_URL: url }).run(['doctor'])).stdout.toString(),
    /takes no writes: it is a standby/,
  )
})
