/**
 * The load balancers of `docs/upgrading.md`: the real programs run the page's configuration in
 * front of two processes, which are restarted in turn under load. No call fails.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { playOnce } from '../faults/scenario.ts'
import { freePort } from '../support/free-port.ts'
import { restartPort } from '../support/fault-port.ts'
import type { ServiceProcess } from '../support/fault-process.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { blockOf, withReplaced } from '../support/page-blocks.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { run as runProgram, type Program } from '../support/service.ts'
import { until } from '../support/until.ts'
import { startSteadyLoad } from '../upgrades/steady-load.ts'
import { unpackedServers } from '../world/unpacked-servers.ts'

const page = 'docs/upgrading.md'
const programs = { haproxy: find('haproxy'), caddy: find('caddy'), nginx: find('nginx') }

/**
 * As on the page, but shorter: two checks of a second each have to fail first, on a busy machine
 * too.
 */
const settings = { FACTEUR_DRAIN_SECONDS: 10, FACTEUR_STOP_SECONDS: 26, FACTEUR_LOG_LEVEL: 'info' }

test('HAProxy, Caddy and nginx by the page: 0 failed calls while two processes are restarted in turn', async (t) => {
  const missing = Object.entries(programs).filter(([, file]) => file === undefined)
  if (missing.length > 0)
    return t.skip(
      `no ${missing.map(([name]) => name).join(', ')} here: sh test/world/fetch-servers.sh unpacks them`,
    )
  await playOnce(async (run) => assert.deepEqual(await restartBehind(t, run), []))
})

async function restartBehind(t: TestContext, run: Run): Promise<string[]> {
  const world = await openWorld(run)
  const ports = [await restartPort(), await restartPort()] as const
  const processes = await Promise.all(
    ports.map((port) => world.start({ role: 'all', port, settings })),
  )
  const nginx = await startNginx(t, ports)
  const balancers = {
    haproxy: await startHaproxy(t, ports),
    caddy: await startCaddy(t, ports),
    nginx: nginx.port,
  }
  for (const port of Object.values(balancers)) await until(() => isReady(world, port))
  const loads = Object.entries(balancers).map(([name, port]) =>
    startSteadyLoad(world, { name, port, clients: 1 }),
  )
  for (const [index, port] of ports.entries()) {
    const old = processes[index]
    await until(() => Object.keys(balancers).every((name) => old && isCalledBy(old, name)))
    nginx.reload({ down: port })
    old?.signal('SIGTERM')
    assert.equal(await old?.ended, 0, old?.lastLines())
    const next = await world.start({ role: 'all', port, settings })
    nginx.reload({ down: null })
    await until(() => Object.keys(balancers).every((name) => isCalledBy(next, name)))
  }
  const records = await Promise.all(loads.map((load) => load.stop()))
  return records.flatMap(({ failures, answered }, index) => [
    ...failures.map((failure) => `${Object.keys(balancers)[index]}: ${failure}`),
    ...(answered > 0 ? [] : [`${Object.keys(balancers)[index]} answered nothing`]),
  ])
}

type Ports = readonly [number, number]

/** The log has the name of the load as the identifier of its calls. */
const isCalledBy = (process: ServiceProcess, name: string): boolean =>
  process.lastLines().includes(`"requestId":"${name}"`)

const isReady = (world: World, port: number): Promise<boolean> =>
  fetch(`${world.addressOf(port)}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )

const withPorts = (
  text: string,
  [first, second]: Ports,
  more: Record<string, string> = {},
): string =>
  withReplaced(text, {
    '10.0.0.1:3025': `127.0.0.1:${first}`,
    '10.0.0.2:3025': `127.0.0.1:${second}`,
    ...more,
  })

async function startHaproxy(t: TestContext, ports: Ports): Promise<number> {
  const [port, folder] = [await freePort(), makeTemporaryFolder('haproxy')]
  const times = 'timeout connect 2s\n  timeout client 60s\n  timeout server 60s'
  const front = `defaults\n  ${times}\nfrontend all\n  mode http\n  bind 127.0.0.1:${port}\n  default_backend facteur\n`
  writeFileSync(join(folder, 'haproxy.cfg'), front + withPorts(blockOf(page, 'haproxy'), ports))
  start(t, 'haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], folder)
  return port
}

async function startCaddy(t: TestContext, ports: Ports): Promise<number> {
  const [port, folder] = [await freePort(), makeTemporaryFolder('caddy')]
  const site = withPorts(blockOf(page, 'caddy'), ports, {
    'mail.example.com {': `http://127.0.0.1:${port} {`,
  })
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  start(
    t,
    'caddy',
    ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
    folder,
  )
  return port
}

/** `reload`: the operator marks a server as down, or none. */
async function startNginx(
  t: TestContext,
  ports: Ports,
): Promise<{ port: number; reload(marked: { down: number | null }): void }> {
  const [port, folder] = [await freePort(), makeTemporaryFolder('nginx')]
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const location =
    'location / { proxy_pass http://facteur; proxy_http_version 1.1; proxy_set_header Connection ""; }'
  const write = (down: number | null): void => {
    const page2 = withPorts(blockOf(page, 'nginx'), ports, { ' down;': ';' })
    const upstream =
      down === null
        ? page2
        : withReplaced(page2, { [`:${down} max_fails=0;`]: `:${down} max_fails=0 down;` })
    // A reload closes connections that wait for a next call, also while the client sends one: here
    // each call has its own.
    const server = `server { listen 127.0.0.1:${port}; keepalive_timeout 0; ${location} }`
    const http = `access_log off; ${temporary.join(' ')}\n${upstream}\n${server}`
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; error_log stderr; events {} http { ${http} }`,
    )
  }
  write(null)
  const { child } = start(t, 'nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], folder)
  return {
    port,
    reload({ down }) {
      write(down)
      child.kill('SIGHUP')
    },
  }
}

function start(
  t: TestContext,
  name: keyof typeof programs,
  args: string[],
  folder: string,
): Program {
  const libraries = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((path) =>
    join(unpackedServers, 'root', path),
  )
  const env = { LD_LIBRARY_PATH: libraries.join(':'), HOME: folder, XDG_DATA_HOME: folder }
  return runProgram(t, programs[name] ?? '', args, { cwd: folder, env })
}

/** On the PATH, or where test/world/fetch-servers.sh unpacked it. */
function find(name: string): string | undefined {
  const result = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()
  const places = ['usr/sbin', 'usr/bin'].map((folder) =>
    join(unpackedServers, 'root', folder, name),
  )
  return result === '' ? places.find((path) => existsSync(path)) : result
}
