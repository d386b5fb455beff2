/**
 * The image: each line of the Dockerfile is carried out from a bare file system, and the service
 * starts in what they make. It runs as the image's user, without capabilities, and its root file
 * system is read-only. First as compose.yaml runs it, then by the manifests. Where Docker runs, it
 * builds and runs the image, too.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  lstatSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { emptyDatabase, runOn } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { here, type Scope } from '../support/service.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { testCertificate } from '../support/test-certificate.ts'
import { at } from '../support/json.ts'
import { until } from '../support/until.ts'
import { buildImage, type Image } from './build-image.ts'
import { readCompose, readComposeService } from './read-compose.ts'
import { environmentOf, portNamed, workloadNamed } from './read-manifests.ts'
import { runContainer, type Container } from './run-container.ts'

/** Namespaces and another root folder are root's. */
const skip =
  process.platform === 'linux' && process.getuid?.() === 0
    ? false
    : 'only root on Linux can change the root folder'

const token = 'a-token-that-nobody-guesses'
const masterKey = Buffer.alloc(32, 9).toString('base64')

test(
  'the image: every line from a bare file system; the service, its roles and its health on a read-only root',
  { skip },
  async (t) => {
    const image = buildImage()
    assertImageRules(image)
    const url = await databaseByPort(t, await emptyDatabase(t))
    const key = await runByCompose(t, image, url)
    await runByManifests(t, image, { url, key })

    // Without any folder to write to it starts too.
    const deaf = { ...settingsOf(url), FACTEUR_HEALTH_PORT: '' }
    const worker = runContainer(t, image, {
      args: ['start', '--role=worker'],
      env: deaf,
      writable: [],
    })
    await worker.saying('Facteur is ready (worker)')
    assert.match(
      (await worker.exec(image.config.health)).output,
      /FACTEUR_HEALTH_PORT, which is empty/,
    )
  },
)

test(
  'the image as Docker builds it: on a read-only root it becomes healthy',
  { skip: whyNoDocker() },
  async (t) => {
    const url = await databaseByPort(t, await emptyDatabase(t))
    const name = `facteur-test-${process.pid}`
    docker('build', '--quiet', '--tag', name, here)
    t.after(() => void docker('image', 'rm', '--force', name))
    const settings = {
      ...settingsOf(url),
      FACTEUR_PORT: String(await freePort()),
      FACTEUR_HEALTH_PORT: '',
    }
    const locked = [
      '--read-only',
      '--tmpfs=/tmp',
      '--cap-drop=ALL',
      '--security-opt=no-new-privileges',
    ]
    const environment = Object.entries(settings).map(
      ([variable, value]) => `--env=${variable}=${value}`,
    )
    const id = docker(
      'run',
      '--detach',
      '--network=host',
      '--health-interval=1s',
      ...locked,
      ...environment,
      name,
    )
    t.after(() => void docker('rm', '--force', '--volumes', id))
    await until(
      () => docker('inspect', '--format={{.State.Status}} {{.State.Health.Status}}', id),
      (state) => state === 'running healthy',
    ).catch((error: unknown) => assert.fail(`${String(error)}\n${docker('logs', id)}`))
    docker('stop', '--time=40', id)
    assert.equal(docker('inspect', '--format={{.State.ExitCode}}', id), '0')
  },
)

const docker = (...args: string[]): string =>
  execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/**
 * The base comes from a registry, which not every machine reaches; a line of the Dockerfile that
 * fails is no such reason.
 */
function whyNoDocker(): string | false {
  const passes = (...args: string[]): boolean =>
    spawnSync('docker', args, { stdio: 'ignore', timeout: 120_000 }).status === 0
  if (!passes('info')) return 'skipped: no Docker runs here'
  const bases = readFileSync(join(here, 'Dockerfile'), 'utf8').matchAll(/^FROM (\S+)/gm)
  const missing = [...bases]
    .map(([, base = '']) => base)
    .find((base) => !passes('image', 'inspect', base) && !passes('pull', base))
  return missing === undefined ? false : `skipped: Docker cannot get ${missing}`
}

/** The program and what it reads; nothing to build with, no rights to change itself. */
function assertImageRules({ root, base, config }: Image): void {
  assert.match(base, /-slim$/)
  assert.deepEqual([config.user, config.exposed, config.cmd], ['1000:1000', ['3025'], ['start']])
  assert.deepEqual(
    globSync('**/*', { cwd: join(root, 'app') }).filter((path) =>
      /\.tsx?$|node_modules|package-lock|\.node$/.test(path),
    ),
    [],
  )
  assert.deepEqual(globSync('{usr/local/lib/node_modules,opt/*}', { cwd: root }), [])
  const commands = globSync('usr/local/bin/*', { cwd: root }).map((path) =>
    path.slice('usr/local/bin/'.length),
  )
  assert.deepEqual(commands.toSorted(), ['facteur', 'node'])
  for (const path of globSync('app/**', { cwd: root })) {
    const { uid, mode } = statSync(join(root, path))
    assert.ok(uid === 0 && (mode & 0o002) === 0, `${path} can be changed by the image's user`)
  }
  const [, megabytes] =
    /about (\d+) MB on top of/.exec(readFileSync(join(here, 'docs/docker.md'), 'utf8')) ?? []
  const size = sizeOf(join(root, 'app')) / 1_000_000
  assert.ok(
    Math.abs(size - Number(megabytes)) < 3,
    `/app has ${size} MB, the page says ${megabytes}`,
  )
}

function sizeOf(folder: string): number {
  return globSync('**/*', { cwd: folder }).reduce(
    (sum, path) => sum + lstatSync(join(folder, path)).size,
    0,
  )
}

const settingsOf = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: masterKey,
  FACTEUR_OPERATOR_TOKEN: token,
  FACTEUR_LANGUAGE: 'en',
})

/**
 * One container with all roles, as compose.yaml has it when .env holds the lines of `facteur init`
 * and a port. Answers the demo's key.
 */
async function runByCompose(t: Scope, image: Image, url: string): Promise<string> {
  const [port, healthPort] = [String(await freePort()), String(await freePort())]
  const env = {
    ...readCompose({
      FACTEUR_MASTER_KEY: masterKey,
      FACTEUR_OPERATOR_TOKEN: token,
      FACTEUR_PORT: port,
    }),
    ...{ DATABASE_URL: url, FACTEUR_HEALTH_PORT: healthPort, FACTEUR_LANGUAGE: 'en' },
  }
  const { tmpfs: writable } = readComposeService()
  const service = runContainer(t, image, { args: image.config.cmd, env, writable })
  for (const words of ['Facteur is ready', /^ +fct_live_\S+$/m, /captured/])
    await service.saying(words)
  const key = /^ +(fct_live_\S+)$/m.exec(service.output())?.[1] ?? ''
  assert.deepEqual((await service.exec(image.config.health)).code, 0)
  await assertLocked(service)

  const created = await service.exec(['facteur', 'workspace', 'create', 'Acme'])
  assert.match(
    created.output,
    /^Next: docker compose exec facteur facteur domain add --workspace acme DOMAIN$/m,
  )
  assert.match(
    (await service.exec(['facteur', 'domain', 'add', '--workspace', 'acme', 'acme.example']))
      .output,
    /acme\.example/,
  )
  assert.equal((await service.exec(['facteur', 'doctor'])).code, 0)

  // A captured mail is read by a thread, a page of the workspace is a file of the image, the
  // reference has examples.
  const base = `http://127.0.0.1:${port}`
  assert.equal((await send(base, key, 'From the image')).status, 202)
  const opened = { headers: { authorization: `Bearer ${token}` } }
  const captured = `${base}/captured/api/v1/captured`
  const id = await until(async () =>
    JSON.stringify(at(await (await fetch(captured, opened)).json(), 'data', '0', 'id') ?? '').slice(
      1,
      -1,
    ),
  )
  const mail = await (await fetch(`${captured}/${id}?workspace=demo`, opened)).text()
  assert.match(mail, /From the image[^]*It works\./)
  assert.match(await (await fetch(`${base}/app/sign-in`)).text(), /<script type="module"/)
  assert.equal((await fetch(`${base}/docs`)).status, 200)
  await assertHealth(service, image, url)
  service.askToStop()
  assert.equal(await service.ended, 0)
  return key
}

/** Without a primary it is not ready, and no reason to replace it. */
async function assertHealth(service: Container, image: Image, url: string): Promise<void> {
  const { healthcheck } = readComposeService()
  const readiness = healthcheck?.test.slice(1) ?? []
  assert.deepEqual(readiness, [...image.config.health, '/readyz'])
  const database = new URL(url).pathname.slice(1)
  const take = async (setting: string): Promise<void> => {
    await runOn(url, `begin read write; alter database ${database} ${setting}; commit`)
    await runOn(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
  }
  await take('set default_transaction_read_only = on')
  await until(async () => (await service.exec(readiness)).code === 1)
  assert.equal((await service.exec(image.config.health)).code, 0)
  await take('reset default_transaction_read_only')
  await until(async () => (await service.exec(readiness)).code === 0)
}

/** Nothing of the image can be written, and `/tmp` can. */
async function assertLocked(service: Container): Promise<void> {
  const script = `for (const path of ['/app/x', '/usr/local/bin/x', '/tmp/x'])
    try { require('node:fs').writeFileSync(path, ''); console.log(path) } catch (error) { console.log(error.code) }
    console.log(/CapEff:\\s*(\\w+)/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1], process.getuid())`
  const { output } = await service.exec(['node', '-e', script])
  assert.deepEqual(output.trim().split('\n'), [
    'EROFS',
    'EROFS',
    '/tmp/x',
    `${'0'.repeat(16)} 1000`,
  ])
}

/**
 * The Job, then a pod of each Deployment: its probes answer, and the API's goes on answering while
 * it drains.
 */
async function runByManifests(
  t: Scope,
  image: Image,
  { url, key }: { url: string; key: string },
): Promise<void> {
  const start = async (name: string, ports: Record<string, string> = {}) => {
    const { container, pod } = workloadNamed(name)
    // The network is this machine's, so that the ports are others.
    const env = {
      ...environmentOf(container, settingsOf(url)),
      ...ports,
      FACTEUR_DRAIN_SECONDS: '2',
    }
    const mounts = container.volumeMounts ?? []
    const writable = mounts.flatMap(({ mountPath, readOnly }) => (readOnly ? [] : mountPath))
    const readOnly = Object.fromEntries(
      mounts.flatMap((mount) => (mount.readOnly ? [[mount.mountPath, certificateFolder()]] : [])),
    )
    assert.ok(container.securityContext.readOnlyRootFilesystem && pod.securityContext.runAsNonRoot)
    return runContainer(t, image, { args: container.args, env, writable, readOnly })
  }
  const job = await start('facteur-migrate')
  assert.equal(await job.ended, 0, job.output())

  const port = {
    api: await freePort(),
    worker: await freePort(),
    inbound: await freePort(),
    submission: await freePort(),
    smtp: await freePort(),
    [587]: await freePort(),
    [465]: await freePort(),
  }
  const pods = {
    api: await start('facteur-api', { FACTEUR_PORT: String(port.api) }),
    worker: await start('facteur-worker', { FACTEUR_HEALTH_PORT: String(port.worker) }),
    inbound: await start('facteur-inbound', {
      FACTEUR_HEALTH_PORT: String(port.inbound),
      FACTEUR_INBOUND_PORT: String(port.smtp),
    }),
    submission: await start('facteur-submission', {
      FACTEUR_HEALTH_PORT: String(port.submission),
      FACTEUR_SUBMISSION_PORT: String(port[587]),
      FACTEUR_SUBMISSION_TLS_PORT: String(port[465]),
    }),
  }
  for (const role of ['api', 'worker', 'inbound', 'submission'] as const) {
    await pods[role].saying('Facteur is ready')
    const { container } = workloadNamed(`facteur-${role}`)
    for (const probe of [
      container.startupProbe,
      container.livenessProbe,
      container.readinessProbe,
    ]) {
      const { path = '', port: name = '' } = probe?.httpGet ?? {}
      portNamed(container, name)
      assert.equal(
        (await fetch(`http://127.0.0.1:${port[role]}${path}`)).status,
        200,
        `${role} ${path}`,
      )
    }
    assert.equal((await pods[role].exec(image.config.health)).code, 0)
  }
  assert.match(await greetingOf(connect(port.smtp, '127.0.0.1')), /^220 bounces\.example\.com/)
  assert.match(await greetingOf(connect(port[587], '127.0.0.1')), /^220 .* ESMTP/)
  const tls = { port: port[465], host: '127.0.0.1', ca: testCertificate.cert }
  assert.match(await greetingOf(connectTls(tls)), /^220 .* ESMTP/)

  const base = `http://127.0.0.1:${port.api}`
  const { id }: { id: string } = JSON.parse(await (await send(base, key, 'From a pod')).text())
  const headers = { authorization: `Bearer ${key}` }
  await until(async () =>
    /"last_event":"(?:sent|delivered)"/.test(
      await (await fetch(`${base}/api/v1/emails/${id}`, { headers })).text(),
    ),
  )

  pods.api.askToStop()
  await until(async () => (await fetch(`${base}/readyz`)).status === 503)
  const last = await send(base, key, 'During the drain')
  assert.deepEqual([last.status, last.headers.get('connection')], [202, 'close'])
  pods.worker.askToStop()
  pods.inbound.askToStop()
  pods.submission.askToStop()
  for (const pod of Object.values(pods)) assert.equal(await pod.ended, 0, pod.output())
}

function send(base: string, key: string, subject: string): Promise<Response> {
  const mail = {
    from: 'Demo <hello@demo.test>',
    to: 'camille@example.com',
    subject,
    text: 'It works.',
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(`${base}/api/v1/emails`, { method: 'POST', headers, body: JSON.stringify(mail) })
}

/** As the Secret of a certificate becomes files, which the image's user may read. */
function certificateFolder(): string {
  const folder = makeTemporaryFolder('certificate')
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'tls.crt'), testCertificate.cert)
  writeFileSync(join(folder, 'tls.key'), testCertificate.key)
  return folder
}

const greetingOf = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', (bytes) => {
      resolve(String(bytes))
      socket.end('QUIT\r\n')
    })
  })

/**
 * The container's network is ours and its files are not: the database's socket is reached by a
 * port.
 */
async function databaseByPort(scope: Scope, url: string): Promise<string> {
  const from = new URL(url.replace('@/', '@localhost/'))
  const path = join(from.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  assert.ok(existsSync(path))
  const server = createServer((socket) => {
    const database = connect(path)
    socket.pipe(database).pipe(socket)
    for (const end of [socket, database])
      end.on('error', () => [socket, database].forEach((each) => each.destroy()))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  scope.after(() => void server.close())
  return `postgres://${from.username}:${from.password}@127.0.0.1:${(server.address() as AddressInfo).port}${from.pathname}`
}
