/**
 * Twelve mails of 8 MB at once to a service with little memory: each is accepted or asked to come
 * again, and the service lives.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { bodyBytesMax } from '../../src/ground/memory-bounds.ts'
import { createOperator } from '../cli/facteur.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here, run, startProgram, type Program } from '../support/service.ts'
import { comes, until } from '../support/until.ts'

const megabyte = 1024 * 1024

interface Group {
  folder: string
  /** How often the kernel ended a process of it. */
  kills(): number
}

/** A cgroup with so much memory; null where we may not make one. */
function makeGroup(bytes: number): Group | null {
  const isSecond = existsSync('/sys/fs/cgroup/cgroup.controllers')
  const folder = join(
    isSecond ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory',
    `facteur-test-${process.pid}`,
  )
  const killsFile = join(folder, isSecond ? 'memory.events' : 'memory.oom_control')
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, isSecond ? 'memory.max' : 'memory.limit_in_bytes'), String(bytes))
    // Swap would be memory beside it.
    if (isSecond && existsSync(join(folder, 'memory.swap.max')))
      writeFileSync(join(folder, 'memory.swap.max'), '0')
    return {
      folder,
      kills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(killsFile, 'utf8'))?.[1] ?? 0),
    }
  } catch {
    if (existsSync(folder)) rmdirSync(folder)
    return null
  }
}

/** A cgroup can be removed once its last process has ended. */
async function removeGroup({ folder }: Group): Promise<void> {
  await comes(() => {
    try {
      rmdirSync(folder)
    } catch {
      return !existsSync(folder)
    }
    return true
  })
}

interface Running {
  service: Program
  port: number
  folder: string
}

/**
 * Posts the mails, asserts each answer, and waits until all that was accepted is delivered; answers
 * how many were.
 */
async function postLargeMails({ service, port, folder }: Running): Promise<number> {
  const line = ['key', 'create', '--workspace', 'demo', '--name', 'app', '--scopes', 'emails:send']
  const key = /fct_\S+/.exec(
    await createOperator({ FACTEUR_PORT: String(port), FACTEUR_DATA: folder }).text(line),
  )?.[0]
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const address = `http://127.0.0.1:${port}/api/v1/emails`
  const body = JSON.stringify({
    ...{ from: 'hello@demo.test', to: 'someone@example.com', subject: 'Large', text: 'Large' },
    attachments: [{ filename: 'large.bin', content: randomBytes(6 * megabyte).toString('base64') }],
  })
  assert.ok(body.length >= 8 * megabyte)
  /** Its id, or null for a refusal; a connection that breaks rejects. */
  const post = async (): Promise<string | null> => {
    const answer = await fetch(address, { method: 'POST', headers, body })
    const output = (await answer.json()) as { id: string; error?: { details?: unknown } }
    if (answer.status === 202) return output.id
    assert.equal(answer.status, 500, JSON.stringify(output))
    assert.deepEqual(output.error?.details, { reason: 'busy' })
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    return null
  }
  const answers = await Promise.all(Array.from({ length: 12 }, post))
  const ids = answers.filter((id) => id !== null)
  for (const id of ids) {
    await until(async () => {
      const answer = await fetch(`${address}/${id}`, { headers })
      assert.equal(answer.status, 200)
      return ((await answer.json()) as { status?: string }).status === 'delivered'
    })
  }
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200)
  assert.equal(service.child.exitCode, null)
  return ids.length
}

async function bodyBytes({ port }: Running): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const lines = text.matchAll(/^facteur_body_bytes\{state="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, state = '', bytes]) => [state, Number(bytes)]))
}

const group = makeGroup(512 * megabyte)

test(
  '12 mails of 8 MB at once with 512 MB for the service and its database: no process is killed, no connection breaks',
  { skip: group === null && 'no cgroup can be made here (root on Linux)' },
  async (t: TestContext) => {
    assert.ok(group)
    const port = await freePort()
    const folder = join(makeTemporaryFolder('little-memory', { onDisk: true }), 'data')
    const start = `echo $$ > ${group.folder}/cgroup.procs && exec ${process.execPath} ${join(here, 'bin', 'facteur.mjs')} start`
    const env = { FACTEUR_PORT: String(port), FACTEUR_DATA: folder }
    const service = run(t, '/bin/sh', ['-c', start], { cwd: here, env })
    // After the service: ends run in the order in which they were asked for.
    t.after(() => removeGroup(group))
    await service.saying('Facteur is ready')
    const delivered = await postLargeMails({ service, port, folder })
    assert.ok(delivered > 0)
    assert.equal(group.kills(), 0)
    const {
      held: retained,
      waiting,
      peak = 0,
      limit = 0,
    } = await bodyBytes({ service, port, folder })
    assert.deepEqual({ held: retained, waiting }, { held: 0, waiting: 0 })
    assert.ok(limit < 12 * megabyte, `${limit}`)
    assert.ok(peak >= 8 * megabyte && peak <= limit, `${peak} of ${limit}`)
  },
)

test('12 mails of 8 MB at once with --max-old-space-size=128: the bodies held stay below the limit that follows from it', async (t) => {
  const folder = join(makeTemporaryFolder('little-heap'), 'data')
  const service = await startProgram(t, {
    folder,
    env: { NODE_OPTIONS: '--max-old-space-size=128' },
  })
  await service.saying('Facteur is ready')
  const running = { service, port: service.port, folder }
  assert.ok((await postLargeMails(running)) > 0)
  const { held: retained, waiting, peak = 0, limit = 0 } = await bodyBytes(running)
  assert.deepEqual({ held: retained, waiting }, { held: 0, waiting: 0 })
  assert.ok(limit <= 48 * megabyte, `${limit}`)
  assert.ok(peak >= 8 * megabyte && peak <= limit, `${peak} of ${limit}`)
})

test('bodies that are held are a twelfth of the memory and a quarter of the heap, beside the share of the service itself', () => {
  const of = (total: number, heap: number): number =>
    bodyBytesMax({ total: total * megabyte, heap: heap * megabyte }) / megabyte
  assert.equal(of(1_536, 4_096), 96)
  assert.equal(of(16_384, 256), 40)
  assert.equal(of(16_384, 4_096), 256)
  assert.equal(of(128, 64), 8, 'a larger one is read alone')
})
