/**
 * Every receiver of the webhook guide is run as it is shown, and called as the service calls, and
 * as an impostor would.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { untilListening } from '../support/postfix.ts'
import { until } from '../support/until.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { receivers } from '../../src/contract/reference/receivers.ts'
import { webhooksGuide } from '../../src/contract/reference/webhooks-guide.ts'
import { installClient } from '../support/client-package.ts'
import { freePort } from '../support/free-port.ts'
import { here } from '../support/service.ts'

const run = promisify(execFile)
const project = await mkdtemp(join(tmpdir(), 'facteur-receivers-'))
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const packages = ['express', 'fastify', 'standardwebhooks'].filter((name) =>
  existsSync(join(here, 'node_modules', name)),
)

interface Way {
  /** The command that starts the file; the first word is the program. */
  command: (file: string, port: number) => string[]
  /** Fails on a machine without the needs of the file. */
  needs?: () => Promise<unknown>
  /** Before it can be started. */
  prepare?: (file: string) => Promise<unknown>
}

const node: Way = { command: (file) => [process.execPath, file] }
const python: Way = {
  command: (file) => ['python3', file],
  needs: () => run('python3', ['--version']),
}
const withPackage = (name: string): Way => ({
  ...node,
  needs: () => assertThere(packages.includes(name), `${name} is not installed`),
})
const assertThere = async (there: boolean, why: string): Promise<void> => {
  if (!there) throw new Error(why)
}

const ways: Record<(typeof receivers)[number]['file'], Way> = {
  'node.mjs': node,
  'express.mjs': withPackage('express'),
  'fastify.mjs': withPackage('fastify'),
  'next.mts': {
    command: () => [process.execPath, 'serve-route.mjs'],
    prepare: () => writeFile(join(project, 'serve-route.mjs'), serveRoute),
  },
  'standard-webhooks.mjs': withPackage('standardwebhooks'),
  'plain.py': python,
  'flask_app.py': { ...python, needs: () => run('python3', ['-c', 'import flask']) },
  'receiver.go': {
    command: () => ['./receiver-go'],
    needs: () => run('go', ['version']),
    // Where nothing of Go's own library was built before, it takes half a minute: the next run
    // finds it built.
    prepare: (file) =>
      run('go', ['build', '-o', 'receiver-go', file], { cwd: project, timeout: 15_000 }),
  },
  'receiver.php': {
    command: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
    needs: () => run('php', ['--version']),
  },
  'receiver.rb': {
    command: (file) => ['ruby', file],
    needs: () => run('ruby', ['-e', 'require "webrick"']),
  },
}

/** A framework's part around a route. */
const serveRoute = `import { createServer } from 'node:http'
import { POST } from './next.mts'

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const answer = await POST(new Request('http://localhost/', { method: 'POST', headers: request.headers, body: Buffer.concat(chunks) }))
  response.writeHead(answer.status).end()
}).listen(process.env.PORT)
`

interface Receiver {
  title: string
  url: string
  output: () => string
  /** Why it cannot be run here. */
  skip: string | false
}

await installClient(project, packages)
const started = await Promise.all(
  receivers.map(({ file, title }) => start(file, title, ways[file])),
)
after(() => rm(project, { recursive: true }))

async function start(file: string, title: string, way: Way): Promise<Receiver> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/hooks/facteur`
  const skipped = (why: unknown): Receiver => ({
    title,
    url,
    output: () => '',
    skip: String(why).split('\n')[0] ?? '',
  })
  try {
    await way.needs?.()
  } catch (error) {
    return skipped(error)
  }
  await copyFile(join(here, 'src/contract/reference/receivers', file), join(project, file))
  try {
    await way.prepare?.(file)
  } catch (error) {
    if (error instanceof Error && 'killed' in error && error.killed === true)
      return skipped('its first build takes too long')
    throw error
  }
  const [program = '', ...args] = way.command(file, port)
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    PORT: String(port),
    FACTEUR_WEBHOOK_SECRET: secret,
    TMPDIR: project,
  }
  const child = spawn(program, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  after(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  await untilListening(port, () => (child.exitCode === null ? null : `${file} ended:\n${output}`))
  return { title, url, output: () => output, skip: false }
}

/** White space and an accent: a parser that writes the body again changes its bytes. */
const bodyOf = (id: string): string =>
  `{ "id": "${id}", "type": "email.delivered", "created_at": "2026-11-21T08:30:00.000Z", "data": {"subject":"é"} }`

interface Call {
  body: string
  /** The signed text, when it is not the body. */
  signed?: string
  secrets?: string[]
  /** Seconds from now. */
  at?: number
}

/** Signs as the specification says, independently of the service. */
async function call(
  { url }: Receiver,
  { body, signed = body, secrets = [secret], at = 0 }: Call,
): Promise<number> {
  const seconds = Math.floor(Date.now() / 1000) + at
  const id = /evt_\w+/.exec(body)?.[0] ?? ''
  const ours = secrets.map(
    (each) => `v1=${createHmac('sha256', each).update(`${seconds}.${signed}`).digest('hex')}`,
  )
  const standard = secrets.map((each) => {
    const key = Buffer.from(each.replace('whsec_', ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${signed}`).digest('base64')}`
  })
  const headers = {
    'content-type': 'application/json',
    ...(secrets.length > 0 && {
      'service-signature': `t=${seconds},${ours.join(',')}`,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': standard.join(' '),
    }),
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(10_000),
  })
  await answer.arrayBuffer()
  return answer.status
}

const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`

for (const receiver of started) {
  const { title, output, skip } = receiver
  const handled = (id: string): number => output().split(id).length - 1

  test(
    `${title}: a genuine call is accepted, and its event handled once however often it comes`,
    { skip },
    async () => {
      const body = bodyOf('evt_genuine')
      assert.equal(await call(receiver, { body }), 204)
      assert.equal(await call(receiver, { body }), 204)
      assert.equal(await call(receiver, { body: bodyOf('evt_last') }), 204)
      await until(() => handled('evt_last') > 0)
      assert.deepEqual([handled('evt_genuine'), handled('evt_last')], [1, 1], output())
    },
  )

  test(
    `${title}: while a secret is being replaced, one signature that fits is enough`,
    { skip },
    async () => {
      assert.equal(
        await call(receiver, { body: bodyOf('evt_rotated'), secrets: [otherSecret, secret] }),
        204,
      )
    },
  )

  test(
    `${title}: 400 for a changed body, another secret, none, an old call and one from the future; nothing is handled`,
    { skip },
    async () => {
      const body = bodyOf('evt_forged')
      for (const forged of [
        { body, signed: body.replace('delivered', 'bounced') },
        { body, secrets: [otherSecret] },
        { body, secrets: [] },
        { body, at: -310 },
        { body, at: 310 },
      ]) {
        assert.equal(await call(receiver, forged), 400, JSON.stringify(forged))
      }
      assert.equal(handled('evt_forged'), 0)
    },
  )
}

test('Node.js and Python are always run', () => {
  for (const expected of ['Node.js, nothing installed', 'Fastify', 'Python, nothing installed'])
    assert.equal(started.find(({ title }) => title === expected)?.skip, false, expected)
})

test('the guide shows each of them, and each file is in the guide', () => {
  const guide = webhooksGuide()
  for (const { title } of receivers) assert.ok(guide.includes(`<summary>${title}</summary>`), title)
})

test('the receivers in TypeScript compile under strict rules', { timeout: 60_000 }, async () => {
  const compilerOptions = {
    ...{ target: 'esnext', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true },
    ...{ types: ['node'], typeRoots: [join(here, 'node_modules/@types')] },
  }
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['next.mts'] }),
  )
  await run(join(here, 'node_modules/.bin/tsc'), ['-p', project]).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout),
  )
})
