/**
 * The image, without Docker: the Dockerfile's own steps are carried out in a folder, and what they make is run in namespaces of
 * its own, as the container's first process and its unprivileged user.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { emptyDatabase } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here, type Scope } from '../support/service.ts'
import { readCompose } from './read-compose.ts'
import { until } from '../support/until.ts'

const [building = '', running = ''] = readFileSync('Dockerfile', 'utf8')
  .split(/^FROM .*$/m)
  .slice(1)
const stepsOf = (stage: string, name: string): string[] =>
  [...stage.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, step = '']) => step)
const commandOf = (name: string): string[] => JSON.parse(/\[.+\]/.exec(stepsOf(running, name)[0] ?? '')?.[0] ?? '[]')
const imageEnvironment = Object.fromEntries(
  stepsOf(running, 'ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=', 2) as [string, string])),
)

/** Namespaces and another root folder are root's. */
const skip = process.platform === 'linux' && process.getuid?.() === 0 ? false : 'only root on Linux can change the root folder'

/** `/app` of the image in a root folder with a shell and Node, by the steps of the Dockerfile; npm's alone are taken as done. */
function buildImage(): string {
  const context = makeTemporaryFolder('image-context')
  for (const [from = '', to = ''] of stepsOf(building, 'COPY').flatMap(copies)) copyInto(context, from, to)
  symlinkSync(join(here, 'node_modules'), join(context, 'node_modules'))
  const root = makeTemporaryFolder('image')
  chmodSync(root, 0o755)
  for (const step of stepsOf(building, 'RUN').filter((line) => line.startsWith('node ')))
    execFileSync('sh', ['-c', step.replace(/ \/image$/, ` ${join(root, 'app')}`).replace(/^node/, process.execPath)], {
      cwd: context,
      stdio: 'pipe',
    })
  for (const folder of ['proc', 'tmp', 'usr/local/bin', 'bin']) mkdirSync(join(root, folder), { recursive: true })
  for (const [file, place] of [
    [process.execPath, 'usr/local/bin/node'],
    ['/bin/sh', 'bin/sh'],
  ] as const) {
    copyFileSync(file, join(root, place))
    const libraries = execFileSync('ldd', [file], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)
    for (const [, library = ''] of libraries) {
      mkdirSync(join(root, dirname(library)), { recursive: true })
      copyFileSync(library, join(root, library))
    }
  }
  const link = stepsOf(running, 'RUN').find((step) => step.startsWith('ln -s '))
  const [, , target = '', name = ''] = link?.split(' ') ?? []
  symlinkSync(target, join(root, name))
  return root
}

/** `a b ./`: each of the first into the last. */
const copies = (step: string): [string, string][] => {
  const words = step.split(' ')
  return words.slice(0, -1).map((from) => [from, words.at(-1) ?? ''])
}

/** As Docker copies: without what .dockerignore leaves out, which is what it does not name. */
function copyInto(context: string, from: string, to: string): void {
  const ignore = readFileSync('.dockerignore', 'utf8').split('\n')
  assert.ok(ignore.includes(`!${from}`), `.dockerignore leaves ${from} out`)
  const place = to.endsWith('/') ? join(context, to, from) : join(context, to)
  cpSync(join(here, from), place, { recursive: true, filter: (path) => !path.startsWith(join(here, 'web', 'dist')) })
}

interface Container {
  said(): string
  saying(text: string | RegExp): Promise<void>
  /** As `docker exec`: in its namespaces, its environment and as its user. */
  exec(words: string[]): Promise<{ code: number | null; said: string }>
  /** SIGTERM to its first process; answers its exit code. */
  stop(): Promise<number | null>
}

const asUser = (root: string): string[] => ['chroot', '--userspec=1000:1000', root]

async function runContainer(scope: Scope, root: string, args: string[], env: Record<string, string>): Promise<Container> {
  const environment = { ...imageEnvironment, ...env, PATH: '/usr/local/bin:/bin', HOME: '/tmp' }
  const line = [...asUser(root), ...commandOf('ENTRYPOINT'), ...args]
  const child = spawn(
    'unshare',
    [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      'sh',
      '-c',
      `/bin/mount -t proc proc "${root}/proc" && exec /usr/sbin/"$0" "$@"`,
      ...line,
    ],
    { env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const said = collect(child)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const first = (): string => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  scope.after(async () => {
    // Another user's process does not end with the one that made it (prctl(2), PR_SET_PDEATHSIG): the first one of a namespace ends all.
    if (child.exitCode === null) process.kill(Number(first()), 'SIGKILL')
    await ended
  })
  return {
    said,
    async saying(text) {
      await until(() => {
        assert.equal(child.exitCode, null, said())
        return typeof text === 'string' ? said().includes(text) : text.test(said())
      })
    },
    async exec(words) {
      const inside = spawn(
        'nsenter',
        ['--target', first(), '--mount', '--pid', '/usr/sbin/chroot', ...asUser(root).slice(1), ...words],
        {
          env: environment,
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      const answer = collect(inside)
      const code = await new Promise<number | null>((resolve) => inside.on('close', resolve))
      return { code, said: answer() }
    },
    async stop() {
      process.kill(Number(first()), 'SIGTERM')
      return ended
    },
  }
}

function collect(child: ChildProcess): () => string {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (said += text))
  return () => said
}

/** The container's network is ours and its files are not: the database's socket is reached by a port. */
async function databaseByPort(scope: Scope, url: string): Promise<string> {
  const from = new URL(url.replace('@/', '@localhost/'))
  const path = join(from.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const server = createServer((socket) => {
    const database = connect(path)
    socket.pipe(database).pipe(socket)
    for (const end of [socket, database]) end.on('error', () => [socket, database].forEach((each) => each.destroy()))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  scope.after(() => void server.close())
  return `postgres://${from.username}:${from.password}@127.0.0.1:${(server.address() as AddressInfo).port}${from.pathname}`
}

test(
  'the image runs as its user, answers its health check by its role, and has the command line and nothing to build with',
  { skip },
  async (t) => {
    const root = buildImage()
    assert.equal(existsSync(join(root, 'app/node_modules')), false)
    assert.deepEqual(globSync('**/*.ts', { cwd: join(root, 'app') }), [])
    assert.deepEqual(stepsOf(running, 'USER'), ['node'])
    for (const tool of ['npm', 'npx', 'yarn', 'corepack'])
      assert.match(stepsOf(running, 'RUN').join('\n'), new RegExp(`rm -rf .*/${tool}\\b`))
    const url = await emptyDatabase(t)
    const token = 'a-token-that-nobody-guesses'
    const [port, healthPort] = [String(await freePort()), String(await freePort())]
    // The environment that compose passes when .env holds the lines of `facteur init` and a port.
    const env = {
      ...readCompose({
        FACTEUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
        FACTEUR_OPERATOR_TOKEN: token,
        FACTEUR_PORT: port,
      }),
      ...{ DATABASE_URL: await databaseByPort(t, url), FACTEUR_HEALTH_PORT: healthPort, FACTEUR_LANGUAGE: 'en' },
    }
    const health = commandOf('HEALTHCHECK')
    const service = await runContainer(t, root, commandOf('CMD'), env)
    await service.saying('Facteur is ready')
    const key = /^ +(fct_live_\S+)$/m.exec(service.said())?.[1] ?? ''
    assert.match(service.said(), /captured/)
    assert.deepEqual((await service.exec(health)).code, 0)

    const made = await service.exec(['facteur', 'workspace', 'create', 'Acme'])
    assert.match(made.said, /^Next: docker compose exec facteur facteur domain add --workspace acme DOMAIN$/m)
    assert.match((await service.exec(['facteur', 'domain', 'add', '--workspace', 'acme', 'acme.example'])).said, /acme\.example/)
    assert.equal((await service.exec(['facteur', 'doctor'])).code, 0)

    // A captured mail is read by a thread, a page of the workspace is a file of the image, the reference has examples.
    const base = `http://127.0.0.1:${port}`
    const mail = { from: 'Demo <hello@demo.test>', to: 'camille@example.com', subject: 'From the image', text: 'It works.' }
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = await fetch(`${base}/api/v1/emails`, { method: 'POST', headers, body: JSON.stringify(mail) })
    assert.equal(sent.status, 202)
    const opened = { headers: { authorization: `Bearer ${token}` } }
    const [, path = ''] = await until(async () =>
      /href="(\/captured\/demo\/[\w-]+)"/.exec(await (await fetch(`${base}/captured`, opened)).text()),
    )
    assert.match(await (await fetch(`${base}${path}`, opened)).text(), /From the image[^]*It works\./)
    assert.match(await (await fetch(`${base}/app/sign-in`)).text(), /<script type="module"/)
    assert.equal((await fetch(`${base}/docs`)).status, 200)
    assert.equal(await service.stop(), 0)

    const worker = await runContainer(t, root, ['start', '--role', 'worker'], env)
    await worker.saying('Facteur is ready')
    assert.match((await worker.exec(health)).said, /ready/)
    assert.equal((await worker.exec(health)).code, 0)
    assert.equal(await worker.stop(), 0)

    const deaf = await runContainer(t, root, ['start', '--role=worker'], { ...env, FACTEUR_HEALTH_PORT: '' })
    await deaf.saying('Facteur is ready (worker)')
    assert.match((await deaf.exec(health)).said, /FACTEUR_HEALTH_PORT, which is empty/)
  },
)
