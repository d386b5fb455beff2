/**
 * The real program with a service account for Google's Postmaster Tools: a worker reads them by
 * itself, and doctor says so.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOperator } from '../cli/facteur.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { daysAgo, startGoogleStandIn } from '../support/google-stand-in.ts'
import { at } from '../support/json.ts'
import { startProgram } from '../support/service.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

test('a worker reads them at its start; doctor names the last read, and why it fails; the key is said nowhere', async (t) => {
  const { url } = await freshDatabase()
  const google = await startGoogleStandIn()
  t.after(() => google.close())
  const keyFile = join(makeTemporaryFolder('postmaster'), 'google.json')
  writeFileSync(keyFile, JSON.stringify(google.keyFile), { mode: 0o600 })
  const env = {
    ...{ DATABASE_URL: url, FACTEUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64') },
    FACTEUR_SMTP_URL: 'smtp://127.0.0.1:1',
    ...{ FACTEUR_GOOGLE_POSTMASTER_KEY: keyFile, FACTEUR_GOOGLE_POSTMASTER_ENDPOINT: google.url },
  }
  const operator = createOperator(env)
  await operator.json(['workspace', 'create', 'Shop'])
  await operator.json(['domain', 'add', '--workspace', 'shop', 'shop.test'])
  await operator.json(['domain', 'verify', '--workspace', 'shop', 'shop.test', '--force'])
  google.domains.set('shop.test', { rates: { [daysAgo(2)]: 0.0004 } })
  const finding = async (): Promise<{ status: unknown; message: string }> => {
    const checks = at(
      JSON.parse((await operator.run(['doctor', '--json'])).stdout.toString()),
      'checks',
    )
    assert.ok(Array.isArray(checks))
    const check: unknown = checks.find((item) => at(item, 'name') === 'postmaster')
    return { status: at(check, 'status'), message: String(at(check, 'message')) }
  }
  assert.deepEqual(await finding(), {
    status: 'warning',
    message: "Google's Postmaster Tools were never read yet",
  })
  const service = await startProgram(t, { env })
  const rates = async () => (await runOn(url, 'select spam_rate from postmaster_day')).rows
  await until(rates, (rows) => rows.length > 0)
  assert.deepEqual(await rates(), [{ spam_rate: 0.0004 }])
  const read = await until(finding, ({ status }) => status === 'ok')
  assert.match(
    read.message,
    /^Google's Postmaster Tools were last read on [\d: -]+ UTC, for 1 of our domains$/,
  )
  const compliance = await operator.run([
    'domain',
    'compliance',
    '--workspace',
    'shop',
    'shop.test',
  ])
  assert.match(compliance.stdout.toString(), /Spam rates at Gmail\n +[\d-]+ +0\.04 %/)
  assert.match(
    compliance.stdout.toString(),
    /Google Postmaster Tools: first report on [^\n]+ asks for domain shop\.test, account postmaster@acme/,
  )
  await runOn(
    url,
    "update postmaster_state set failed_at = facteur_now(), error = 'oauth2.test answered 400: Invalid JWT'",
  )
  assert.partialDeepStrictEqual(await finding(), { status: 'warning' })
  assert.match(
    (await finding()).message,
    /could not be read on .* last read on .* oauth2\.test answered 400: Invalid JWT$/,
  )
  service.child.kill('SIGTERM')
  await service.ended
  for (const secret of [String(google.keyFile['private_key']).slice(60, 100), 'ya29.'])
    assert.ok(!service.output().includes(secret))
})
