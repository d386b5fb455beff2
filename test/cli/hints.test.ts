/** The next command that a command names is spelled as the operator called it. */
import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { spellCommands } from '../../src/entrypoints/cli/spell-commands.ts'
import { commands } from '../../src/entrypoints/cli/commands.ts'
import { at } from '../support/json.ts'
import { freshDatabase } from '../support/database.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here } from '../support/service.ts'
import { runProgram } from './facteur.ts'

const { url } = await freshDatabase()
const bin = makeTemporaryFolder('bin')
symlinkSync(join(here, 'bin', 'facteur.mjs'), join(bin, 'facteur'))
/** The Node that runs this file goes first: others on the PATH may be older. */
const PATH = [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
const env = { DATABASE_URL: url, PATH }

for (const [line, spelled] of [
  ['npm run -s facteur --', 'npm run -s facteur --'],
  ['npx facteur', 'npx facteur'],
  ['facteur', 'facteur'],
  ['node bin/facteur.mjs', 'node bin/facteur.mjs'],
] as const) {
  test(`${line}: results, refusals, help and the doctor repeat it`, async () => {
    const [program = '', ...words] = line.split(' ')
    const name = `By ${line.replaceAll(/\W+/g, ' ').trim()}`
    const run = (...more: string[]) => runProgram([...words, ...more], env, null, program)
    const created = await run('workspace', 'create', name)
    assert.match(
      created.stdout.toString(),
      new RegExp(`^Next: ${spelled} domain add --workspace`, 'm'),
      created.stderr,
    )
    const refused = await run('workspace', 'show', 'nobody')
    // npm may have something to say of its own.
    assert.ok(
      refused.stderr.endsWith(
        `There is no workspace "nobody". "${spelled} workspace list" shows all.\n`,
      ),
      refused.stderr,
    )
    const help = (await run('key', 'create', '--help')).stdout.toString()
    assert.match(help, new RegExp(`^  ${spelled} key create --workspace W`, 'm'))
    assert.doesNotMatch(help.replaceAll(`${spelled} key`, ''), /facteur key/)
  })
}

test('in a container compose.yaml says how; the doctor repeats it in both forms', async () => {
  const invoked = {
    ...env,
    FACTEUR_INVOKED_AS: 'docker compose exec facteur facteur',
    FACTEUR_PORT: 'none',
  }
  const run = (...line: string[]) => runProgram(['bin/facteur.mjs', ...line], invoked)
  const next = 'Mend it, then run docker compose exec facteur facteur doctor again for the rest.'
  assert.ok((await run('doctor')).stdout.toString().includes(next))
  const report: unknown = JSON.parse((await run('doctor', '--json')).stdout.toString())
  assert.equal(at(report, 'checks', '0', 'next'), next)
})

test('only hints are respelled: not addresses, paths or names of others', () => {
  const spell = spellCommands('npx facteur', commands)
  assert.equal(
    spell('Next: facteur domain add W, then "facteur migrate"'),
    'Next: npx facteur domain add W, then "npx facteur migrate"',
  )
  for (const text of [
    'me@facteur domain add',
    '/opt/facteur domain add',
    'facteur domains',
    'un facteur heureux',
  ])
    assert.equal(spell(text), text)
})
