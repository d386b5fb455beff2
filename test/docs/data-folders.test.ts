/**
 * Real data folders by the pages' own commands: the copies of `docs/upgrading.md` and
 * `docs/self-hosting.md` with the ways back, and the command of the systemd unit.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { blocksOf } from '../support/page-blocks.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here, isAlive, postmasterPid, run, startProgram, type Scope } from '../support/service.ts'
import { until } from '../support/until.ts'

const upgrading = blocksOf('docs/upgrading.md', 'sh')
const [copy = ''] = upgrading
const back = upgrading.find((block) => block.startsWith('rm -rf data\n')) ?? ''

/** The data of a service that has stopped, with a message; each test gets a copy of it. */
const first = makeTemporaryFolder('first')
const apiKey = await running({ after }, first, async ({ output, send }) => {
  const created = /^ +(fct_live_\S+)$/m.exec(output())?.[1] ?? assert.fail(output())
  await send(created, 'before')
  return created
})
const folderWithData = (name: string): { folder: string; follow: (block: string) => void } => {
  const folder = makeTemporaryFolder(name)
  execFileSync('cp', ['-a', join(first, 'data'), folder])
  return { folder, follow: (block) => void execFileSync('sh', ['-ec', block], { cwd: folder }) }
}

test('upgrading: going back to the copy restores its data; later data is gone', async (t) => {
  const { folder, follow } = folderWithData('upgrade')
  assert.match(copy, /^mkdir -p data-before-upgrade key\n/)
  follow(copy)
  await running(t, folder, async ({ send }) => send(apiKey, 'after'))
  assert.match(back, /^rm -rf data\n/)
  follow(back)
  await running(t, folder, async ({ subjects }) =>
    assert.deepEqual(await subjects(apiKey), ['before']),
  )
})

test('self-hosting: the copy has no key; without the key it does not start, with it everything is there', async (t) => {
  const { folder, follow } = folderWithData('copy')
  const [copying = '', restore = ''] = blocksOf('docs/self-hosting.md', 'sh')
  assert.match(copying, /^mkdir -p copy key\n/)
  follow(copying)
  assert.ok(!existsSync(join(folder, 'copy', 'master.key')))
  const bare = await startProgram(t, { folder: join(folder, 'copy') })
  assert.equal((await bare.ended).code, 1)
  assert.match(bare.output(), /master\.key/)
  assert.match(restore, /^rm -rf data\n/)
  follow(restore)
  await running(t, folder, async ({ subjects }) =>
    assert.deepEqual(await subjects(apiKey), ['before']),
  )
})

test('its command starts the service in its folder, and SIGTERM to it alone ends all of it', async (t) => {
  const unit = readFileSync(join(here, 'deploy/systemd/facteur.service'), 'utf8')
  const [program, ...args] = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? []
  assert.equal(program, '/usr/bin/node')
  const { folder } = folderWithData('unit')
  const env = { FACTEUR_PORT: String(await freePort()), FACTEUR_DATA: join(folder, 'data') }
  const service = run(t, process.execPath, args, { cwd: here, env })
  await service.saying('"msg":"ready"')
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.match(service.output(), /"msg":"stopped"/)
})

interface Running {
  output(): string
  send(key: string, subject: string): Promise<void>
  subjects(key: string): Promise<string[]>
}

/** Starts the service on the folder's data, lets `work` use it, and stops it as Ctrl-C does. */
async function running<T>(
  scope: Scope,
  folder: string,
  work: (running: Running) => Promise<T>,
): Promise<T> {
  const service = await startProgram(scope, { folder: join(folder, 'data') })
  await service.saying('"msg":"ready"')
  const address = `http://127.0.0.1:${service.port}/api/v1/emails`
  const headersOf = (key: string) => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  })
  const result = await work({
    output: () => service.output(),
    async send(key, subject) {
      const body = JSON.stringify({
        from: 'hello@demo.test',
        to: 'camille@example.com',
        subject,
        text: 'It works.',
      })
      assert.equal(
        (await fetch(address, { method: 'POST', headers: headersOf(key), body })).status,
        202,
      )
    },
    async subjects(key) {
      const { data }: { data: { subject: string }[] } = JSON.parse(
        await (await fetch(address, { headers: headersOf(key) })).text(),
      )
      return data.map(({ subject }) => subject)
    },
  })
  const postmaster = postmasterPid(join(folder, 'data'))
  service.signalGroup('SIGINT')
  await service.ended
  // On a busy machine the database may end after the service, whose time to stop is over.
  await until(() => !isAlive(postmaster))
  return result
}
