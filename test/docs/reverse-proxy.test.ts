/**
 * The proxies of `docs/reverse-proxy.md`: the real programs run the page's configuration in front
 * of the real service.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabase } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { makeAuthority } from '../support/certificates.ts'
import { blockOf, withReplaced } from '../support/page-blocks.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here, run, startProgram, type Scope } from '../support/service.ts'
import { unpackedServers } from '../world/unpacked-servers.ts'
import { until } from '../support/until.ts'

const page = 'docs/reverse-proxy.md'
const name = 'mail.example.com'
const authority = makeAuthority()
const { key, cert } = authority.sign([name])

/** Starts a proxy with TLS on `port` in front of `upstream`; resolves once it listens. */
interface Proxy {
  program: string | undefined
  start(
    scope: Scope,
    places: { folder: string; port: number; plainPort: number; upstream: number },
  ): void
}

const nginx: Proxy = {
  program: findProgram('nginx', 'usr/sbin/nginx'),
  start(scope, { folder, port, plainPort, upstream }) {
    const site = withReplaced(blockOf(page, 'nginx'), {
      'listen 80;': `listen 127.0.0.1:${plainPort};`,
      'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
      [`/etc/letsencrypt/live/${name}/fullchain.pem`]: join(folder, 'cert.pem'),
      [`/etc/letsencrypt/live/${name}/privkey.pem`]: join(folder, 'key.pem'),
      '127.0.0.1:3025': `127.0.0.1:${upstream}`,
    })
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    )
    const main = `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')}\n${site}}`
    writeFileSync(join(folder, 'nginx.conf'), main)
    run(scope, nginx.program ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      cwd: folder,
      env: {},
    })
  },
}

const caddy: Proxy = {
  program: findProgram('caddy', 'usr/bin/caddy'),
  start(scope, { folder, port, plainPort, upstream }) {
    // The certificate is ours: the test has no public name to get one for.
    const site = withReplaced(blockOf(page, 'caddy'), {
      [`${name} {`]: `${name}:${port} {\n\tbind 127.0.0.1\n\ttls ${folder}/cert.pem ${folder}/key.pem`,
      '127.0.0.1:3025': `127.0.0.1:${upstream}`,
    })
    // The calls go by TCP, and `freePort()` has the UDP port of the same number.
    const options = [
      'admin off',
      'auto_https disable_redirects',
      `http_port ${plainPort}`,
      'servers {',
      'protocols h1 h2',
      '}',
    ]
    writeFileSync(join(folder, 'Caddyfile'), `{\n${options.join('\n')}\n}\n${site}`)
    run(
      scope,
      caddy.program ?? '',
      ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
      {
        cwd: folder,
        env: { HOME: folder, XDG_DATA_HOME: folder },
      },
    )
  },
}

for (const [which, proxy] of Object.entries({ nginx, caddy })) {
  const skip =
    proxy.program === undefined && `no ${which} here: sh test/world/fetch-servers.sh unpacks it`
  test(
    `${which}, by the page: calls, large files, cookies and the operator's pages as over TLS`,
    { skip },
    async (t) => {
      const [port, plainPort] = [await freePort(), await freePort()]
      const settings = withReplaced(blockOfSettings(), {
        [`https://${name}`]: `https://${name}:${port}`,
      })
      const folder = makeTemporaryFolder(which)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'cert.pem'), cert)
      writeFileSync(join(folder, 'key.pem'), key)
      const database = {
        DATABASE_URL: (await freshDatabase(t)).url,
        FACTEUR_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
      }
      const service = await startProgram(t, { env: { ...readSettings(settings), ...database } })
      await service.saying('"msg":"ready"')
      const apiKey =
        /^ +(fct_live_\S+)$/m.exec(service.output())?.[1] ?? assert.fail(service.output())
      proxy.start(t, { folder, port, plainPort, upstream: service.port })
      const call = caller(port)
      await listening(call)

      const attachments = [
        { filename: 'large.bin', content: Buffer.alloc(7_000_000, 7).toString('base64') },
      ]
      const mail = {
        from: 'hello@demo.test',
        to: 'camille@example.com',
        subject: 'Hello',
        text: 'It works.',
        attachments,
      }
      const sent = await call('POST', '/api/v1/emails', { authorization: `Bearer ${apiKey}` }, mail)
      assert.equal(sent.status, 202, sent.body)

      const token =
        /\/app\/set-up\/([\w-]+)/.exec(service.output())?.[1] ?? assert.fail(service.output())
      const owner = {
        email: 'owner@example.com',
        name: 'Owner',
        password: 'correct horse battery staple',
        workspace: 'demo',
      }
      const account = await call(
        'POST',
        `/people/api/v1/set-up/${token}`,
        { origin: `https://${name}:${port}` },
        owner,
      )
      assert.ok(account.status < 300, account.body)
      assert.match(account.cookie, /^__Host-.*; Secure/)

      const hook = { url: `https://127.0.0.1:${service.port}/`, events: ['email.sent'] }
      const refused = await call(
        'POST',
        '/api/v1/webhooks',
        { authorization: `Bearer ${apiKey}` },
        hook,
      )
      assert.equal(refused.status, 422, 'a webhook does not lead to the machine of the proxy')

      assert.equal(
        (await call('GET', '/captured')).status,
        404,
        'a visitor through the proxy is not at this machine',
      )
      assert.equal((await call('GET', '/metrics')).status, 404)
      assert.equal((await call('GET', '/app/sign-in')).status, 200)
      assert.match((await call('GET', '/api/v1')).body, new RegExp(`https://${name}:${port}/docs`))
      if (which === 'nginx') {
        const plain = await fetch(`http://127.0.0.1:${plainPort}/docs`, {
          redirect: 'manual',
          headers: { host: name },
        })
        assert.equal(plain.status, 301)
      }
    },
  )
}

/** The settings of the page, as its first block has them. */
function blockOfSettings(): string {
  const text = readFileSync(join(here, page), 'utf8')
  return (
    /```sh\n(FACTEUR_BASE_URL=[^]*?)```/.exec(text)?.[1] ?? assert.fail('the page has no settings')
  )
}

function readSettings(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

interface Answer {
  status: number
  body: string
  cookie: string
}

type Call = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: object,
) => Promise<Answer>

/** Calls the proxy as a client from outside does: by name, over TLS that the authority signed. */
function caller(port: number): Call {
  return (method, path, headers = {}, body) =>
    new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        method,
        path,
        servername: name,
        ca: authority.cert,
      }
      const json = body && { 'content-type': 'application/json' }
      const call = request(
        { ...options, headers: { host: `${name}:${port}`, ...json, ...headers } },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          const cookie = answer.headers['set-cookie']?.[0] ?? ''
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text, cookie }))
        },
      )
      call.on('error', reject)
      call.end(body && JSON.stringify(body))
    })
}

/** Resolves when the proxy passes a call on; the test's own time limit ends the wait. */
async function listening(call: Call): Promise<void> {
  const status = () =>
    call('GET', '/readyz').then(
      (answer) => answer.status,
      () => 0,
    )
  await until(status, (observed) => observed === 200)
}

/** On the PATH, or where test/world/fetch-servers.sh unpacked it. */
function findProgram(program: string, unpacked: string): string | undefined {
  const result = spawnSync('sh', ['-c', `command -v ${program}`], {
    encoding: 'utf8',
  }).stdout.trim()
  const path = result === '' ? join(unpackedServers, 'root', unpacked) : result
  return existsSync(path) ? path : undefined
}
