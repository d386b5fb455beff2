/**
 * compose.yaml passes every setting, works without .env, and takes the one that `facteur init`
 * writes.
 */
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig, settingNames } from '../../src/ground/config.ts'
import { createOperator } from '../cli/facteur.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { interpolateCompose, readCompose, readComposeService } from './read-compose.ts'

/** Nothing of a database is asked. */
const operator = createOperator({ DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/none' })

const variablesOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )

/** For tests only. */
const documented = settingNames.filter((name) => name !== 'FACTEUR_FAILPOINTS')

test('every setting that stands in .env reaches the service, as it stands there', () => {
  const variables = Object.fromEntries(documented.map((name) => [name, `value of ${name}`]))
  const passed = readCompose(variables)
  for (const name of documented) assert.equal(passed[name], variables[name], name)
})

test('without .env nothing is demanded, so that down and logs work; the settings are the defaults, and the service asks for a key', () => {
  assert.doesNotThrow(() => interpolateCompose({}))
  const config = readConfig(readCompose({}))
  assert.deepEqual(
    [config.masterKey, config.port, config.host, config.baseUrl, config.databaseUrl],
    [
      null,
      3025,
      '0.0.0.0',
      'http://127.0.0.1:3025',
      'postgres://facteur:facteur@database:5432/facteur',
    ],
  )
})

test('the service has no rights that it does not need: a read-only root, /tmp in memory, no capability', () => {
  const { read_only, tmpfs, cap_drop, security_opt } = readComposeService()
  assert.deepEqual(
    [read_only, tmpfs, cap_drop, security_opt],
    [true, ['/tmp'], ['ALL'], ['no-new-privileges:true']],
  )
})

test('init writes a file that its owner alone can read and compose takes; a second one changes nothing', async () => {
  const file = join(makeTemporaryFolder('init'), '.env')
  const first = await operator.json(['init', file])
  assert.deepEqual(first, { id: file, made: true })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const written = readFileSync(file, 'utf8')
  const variables = variablesOf(file)
  const config = readConfig(readCompose(variables))
  assert.equal(config.masterKey?.toString('base64'), variables['FACTEUR_MASTER_KEY'])
  assert.equal(config.operatorToken, variables['FACTEUR_OPERATOR_TOKEN'])
  assert.equal(new URL(config.databaseUrl ?? '').password, variables['FACTEUR_DATABASE_PASSWORD'])

  assert.equal(at(await operator.json(['init', file]), 'made'), false)
  assert.equal(readFileSync(file, 'utf8'), written)
  const other = join(makeTemporaryFolder('init'), '.env')
  await operator.json(['init', other])
  assert.notEqual(variablesOf(other)['FACTEUR_MASTER_KEY'], variables['FACTEUR_MASTER_KEY'])
})

test('init: a file without a key is left as it is, and a folder that is not there is named', async () => {
  const file = join(makeTemporaryFolder('init'), '.env')
  writeFileSync(file, 'FACTEUR_PORT=80\n')
  await operator.refused(['init', file], {
    code: 'conflict',
    exit: 1,
    message: /without a FACTEUR_MASTER_KEY, and was left as it is/,
  })
  assert.equal(readFileSync(file, 'utf8'), 'FACTEUR_PORT=80\n')
  await operator.refused(['init', '/nowhere/.env'], {
    code: 'refused',
    exit: 1,
    message: /\/nowhere\/\.env cannot be written \(ENOENT\)/,
  })
})
