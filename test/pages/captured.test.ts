/**
 * The operator's page of captured mail over HTTP: what it reads, to whom, and that nothing a caller wrote gets out
 * of its place.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { MemberAnswerOf } from '../../src/contract/operations.ts'
import { admitNotice } from '../../src/core/notices/admit-notice.ts'
import { sql } from '../../src/database/client/sql.ts'
import { simulators } from '../../src/providers/local-capture/local-capture.ts'
import { draftOf, send as sendCampaign, untilSent } from '../support/campaign-world.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { serveHealth } from '../../src/entrypoints/health/serve-health.ts'
import { createMetrics } from '../../src/entrypoints/health/metrics.ts'
import { operatorEntryPoints, operatorToken, ownAddress } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints({ host: '0.0.0.0' }) })
const closed = await startApi({ entry: operatorEntryPoints({ host: '0.0.0.0', token: null }) })
const outside = await startApi({
  entry: operatorEntryPoints(),
  settings: { baseUrl: 'https://mail.example.com' },
})
const workspace = await api.workspace('pages')

interface Page {
  status: number
  headers: Headers
  text: string
}

async function query(
  path: string,
  headers: Record<string, string> = {},
  base = api.baseUrl,
): Promise<Page> {
  const response = await fetch(base + path, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function send(from: TestWorkspace, mail: object): Promise<string> {
  const body = {
    from: `Demo <hello@${from.domain}>`,
    to: 'you@example.com',
    subject: 'Hello',
    text: 'It works.',
    ...mail,
  }
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', { key: from.key, body })
  assertAnswered(answer, 202)
  const id = textAt(answer, 'id')
  await from.capturedMails(id, 1)
  return id
}

type List = MemberAnswerOf<'listCapturedMails'>
type Mail = MemberAnswerOf<'getCapturedMail'>

const at = '/captured/api/v1/captured'

const list = async (search = ''): Promise<List> => JSON.parse((await query(`${at}?${search}`)).text)

const newest = async (): Promise<List['data'][number]> =>
  (await list('limit=1')).data[0] ?? assert.fail('the list is empty')

/** A part of a mail; the mail itself is the empty one. */
const pathOf = ({ id, workspace: slug }: { id: string; workspace: string }, part = ''): string =>
  `${at}/${id}${part}?workspace=${slug}`

const read = async (entry: { id: string; workspace: string }): Promise<Mail> =>
  JSON.parse((await query(pathOf(entry))).text)

const change = (line: string, body?: object, headers: Record<string, string> = {}) => {
  const [method = '', path = ''] = line.split(' ')
  return fetch(api.baseUrl + path, {
    method,
    headers: { origin: api.baseUrl, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
}

test('the address leads to the page, which anybody may load and nobody may read by', async () => {
  for (const [path, to] of [
    ['/captured', ''],
    ['/captured/', ''],
    ['/captured?workspace=pages', '?workspace=pages'],
    [
      '/captured/pages/019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
      '/pages/019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    ],
  ] as const) {
    const led = await query(path)
    assert.equal(led.status, 302, path)
    assert.equal(led.headers.get('location'), `/app/-/captured${to}`)
  }
  assert.equal((await query('/app/-/captured')).status, 200)
  const state = await list()
  assert.deepEqual(
    [state.data, state.captures, state.sender, state.operator],
    [[], true, 'hello@pages.test', { workspaces: ['pages'], by_token: false }],
  )
})

test('a mail: the list has it; its content, files, source and outcome are read', async () => {
  const file = { filename: 'facture é.txt', content: Buffer.from('chiffres').toString('base64') }
  await send(workspace, {
    to: ['bounced@simulator.test', 'you@example.com'],
    cc: 'cc@example.com',
    html: '<p>Riche</p>',
    attachments: [file],
  })
  const entry = await newest()
  assert.equal(entry.subject, 'Hello')
  const mail = await read(entry)
  assert.equal(mail.text?.trim(), 'It works.')
  assert.deepEqual(
    mail.files.map(({ name }) => name),
    ['facture é.txt'],
  )
  assert.match(mail.headers.find(({ name }) => name === 'Cc')?.value ?? '', /cc@example\.com/)
  assert.match((await query(pathOf(entry, '/html'))).text, /<p>Riche<\/p>/)
  const raw = await query(pathOf(entry, '/raw'))
  assert.match(raw.text, /^Feedback-ID: [^\r]+\r\nFrom: Demo <hello@pages\.test>\r\n/)
  assert.match(raw.headers.get('content-disposition') ?? '', /^attachment; .*\.eml/)
  const content = await query(pathOf(entry, '/files/0'))
  assert.equal(content.text, 'chiffres')
  assert.match(content.headers.get('content-disposition') ?? '', /facture%20%C3%A9\.txt/)
  assert.equal(content.headers.get('content-type'), 'application/octet-stream')
})

/** The mail to a recipient once its outcome is known. */
const untilOutcome = (subject: string, recipient: string): Promise<Mail> =>
  until(
    async () => {
      const { data } = await list(`search=to:${encodeURIComponent(recipient)} subject:"${subject}"`)
      return read(data[0] ?? assert.fail(recipient))
    },
    ({ status }) => status !== 'queued' && status !== 'sent',
  )

test('each recipient has its own status, and its reason', async () => {
  const id = await send(workspace, {
    to: ['bounced+page@simulator.test', 'fine@example.com'],
    subject: 'Statuses',
  })
  await workspace.capturedMails(id, 2)
  const bounced = await untilOutcome('Statuses', 'bounced+page@simulator.test')
  assert.equal(bounced.status, 'bounced')
  assert.match(bounced.error ?? '', /550 5\.1\.1/)
  assert.equal((await untilOutcome('Statuses', 'fine@example.com')).status, 'delivered')
})

test('mails of a campaign: each with its reader’s subject and its outcome', async () => {
  const readers = await api.workspace('campaign-pages')
  for (const [email, firstName] of [
    ['zoe@example.com', 'Zoé <i>'],
    ['bounced+zoe@simulator.test', ''],
  ]) {
    const body = { email, firstName, double_opt_in: false }
    const answer = await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: readers.key, body })
    assertAnswered(answer, 201)
  }
  const id = await draftOf(api, readers, {
    subject: 'For {{firstName | default: "you"}}',
    text: 'Campaign text',
  })
  await sendCampaign(api, readers, id)
  await untilSent(api, readers, id)
  const { data } = await list('workspace=campaign-pages')
  assert.deepEqual(data.map(({ subject }) => subject).toSorted(), ['For Zoé <i>', 'For you'])
  const folded = (await list('fold=campaigns')).data.filter(({ campaign }) => campaign !== null)
  assert.deepEqual(
    folded.map(({ mails }) => mails),
    [2],
  )
  for (const recipient of ['zoe@example.com', 'bounced+zoe@simulator.test']) {
    const mail = await untilOutcome('For', recipient)
    assert.match(mail.text ?? '', /Campaign text/)
    assert.equal(mail.status, recipient.startsWith('zoe') ? 'delivered' : 'bounced')
    assert.equal(mail.checks?.one_click, true)
  }
})

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'\`</title></pre></textarea>`

test('hostile subject, name, text, html and file name: plain values, and the HTML only where nothing runs', async () => {
  await send(workspace, {
    from: `${JSON.stringify(hostile)} <hello@${workspace.domain}>`,
    subject: hostile,
    text: hostile,
    html: `<p>${hostile}</p><script>parent.document.title = 'taken'</script>`,
    headers: { 'X-Odd': hostile },
    attachments: [{ filename: hostile, content: 'AAAA', content_type: 'text/html' }],
  })
  const entry = await newest()
  assert.equal((await read(entry)).subject, hostile)
  const frame = await query(pathOf(entry, '/html'))
  assert.doesNotMatch(frame.text, /<script|onerror/)
  assert.match(
    frame.headers.get('content-security-policy') ?? '',
    /^sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data: [^;]*; frame-ancestors 'self'$/,
  )
  for (const part of ['', '/html', '/raw', '/files/0']) {
    const { headers } = await query(pathOf(entry, part))
    assert.equal(headers.get('x-content-type-options'), 'nosniff', part)
    assert.equal(headers.get('cache-control'), 'no-store', part)
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', part)
    if (part !== '')
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^sandbox(?: allow-same-origin)?; default-src 'none'/,
      )
  }
})

test('an image of the mail itself is shown, one from elsewhere is not fetched', async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await send(workspace, {
    html: '<img src="cid:logo" alt=""><img src=cid:logo><img src="cid:none"><img src="https://example.com/spy.gif">',
    attachments: [{ filename: 'logo.png', content: png, content_id: 'logo' }],
  })
  const entry = await newest()
  const { text } = await query(pathOf(entry, '/html'))
  assert.equal(text.split(`data:image/png;base64,${png}`).length, 3)
  assert.doesNotMatch(text, /cid:none|spy\.gif/)
  assert.partialDeepStrictEqual((await read(entry)).checks, { images: 4, images_without_alt: 3 })
})

test('a long mail: its source is whole', async () => {
  await send(workspace, { text: `${'long '.repeat(60_000)}the end`, subject: 'Long' })
  assert.ok((await query(pathOf(await newest(), '/raw'))).text.includes('the end'))
})

test('pages: newest first, each mail once, also of the same instant; one workspace or all of them', async () => {
  const other = await api.workspace('others')
  const bodies = Array.from({ length: 55 }, (_, index) => ({
    ...{
      from: `hello@${other.domain}`,
      to: 'you@example.com',
      subject: `Number ${index}`,
      text: 'x',
    },
  }))
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails/batch', {
    key: other.key,
    body: bodies,
  })
  await other.capturedMails(textAt(answer, 'data', '54', 'id'), 1)
  await api.run(
    `update captured_mail set captured_at = facteur_now() where workspace_id = ${other.id}`,
  )
  for (const filter of ['workspace=others&limit=50', 'workspace=others&limit=50&fold=campaigns']) {
    const first = await list(filter)
    assert.equal(first.data.length, 50)
    const second = await list(`${filter}&cursor=${first.next_cursor}`)
    assert.equal(second.data.length, 5)
    assert.equal(new Set([...first.data, ...second.data].map(({ id }) => id)).size, 55)
  }
  const all = await list('limit=100')
  assert.deepEqual(all.operator?.workspaces.toSorted(), ['campaign-pages', 'others', 'pages'])
  assert.ok(new Set(all.data.map((entry) => entry.workspace)).size > 1)
  const listed = await list('workspace=pages')
  assert.ok(listed.data.every((entry) => entry.workspace === 'pages'))
  assert.equal((await query(`${at}?cursor=x`)).status, 422)
})

test('the operator alone reads mails that give access, and finds, counts and deletes them', async () => {
  const { service } = api
  const id = await service.db.transaction((tx) =>
    admitNotice(service, tx, {
      workspaceId: workspace.id,
      notice: {
        ...{ from: { name: null, email: 'hello@pages.test' }, to: 'guest@example.com' },
        ...{ subject: 'Invitation', text: 'https://x.test/secret', html: '' },
        ...{ passesUnsubscribe: true, isPrivate: true },
      },
    }),
  )
  service.wake('transactional')
  await workspace.capturedMails(id, 1)
  const [entry] = (await list('workspace=pages&search=to:guest')).data
  assert.ok(entry)
  assert.match((await read(entry)).text ?? '', /secret/)
  const before = (await list('workspace=pages')).counts
  const ids = { ids: [entry.id] }
  assert.equal((await change(`POST ${at}/read?workspace=pages`, ids)).status, 200)
  assert.equal((await list('workspace=pages')).counts?.unread, Number(before?.unread) - 1)
  const line = `DELETE ${at}?workspace=pages&id=${entry.id}`
  for (const headers of [{ origin: 'https://evil.example' }, { origin: '' }])
    assert.equal((await change(line, undefined, headers)).status, 403)
  assert.equal((await change(`DELETE ${at}?id=${entry.id}`)).status, 404, 'of no workspace')
  assert.partialDeepStrictEqual(await (await change(line)).json(), { deleted: 1 })
  assert.equal((await list('workspace=pages')).counts?.all, Number(before?.all) - 1)
  const who = await service.db.rows<{ who: string; subject: string }>(sql`
    select who, subject from audit_log where workspace_id = ${workspace.id} and act = 'captured.deleted'`)
  assert.deepEqual(who, [{ who: 'command line', subject: `id=${entry.id}` }])
})

test('404: unknown workspace, mail, part, file; a mail under another workspace', async () => {
  const entry = await newest()
  const elsewhere = entry.workspace === 'pages' ? 'others' : 'pages'
  const paths = [
    `${at}?workspace=none`,
    `${at}/x?workspace=pages`,
    pathOf({ ...entry, workspace: 'none' }),
    pathOf({ ...entry, workspace: elsewhere }),
    pathOf(entry, '/other'),
    pathOf(entry, '/files/99'),
    pathOf(entry, '/files/x'),
    `${at}/${entry.id}`,
  ]
  for (const unknown of paths) {
    const { status, headers } = await query(unknown)
    assert.equal(status, 404, unknown)
    assert.match(headers.get('content-type') ?? '', /json/)
  }
})

test('the page names each simulated recipient', () => {
  const texts = JSON.parse(readFileSync('web/src/texts/en.json', 'utf8'))
  const named = Object.keys(texts.captured).flatMap(
    (key) => /^simulator_(\w+)$/.exec(key)?.[1] ?? [],
  )
  assert.deepEqual(named.toSorted(), [...simulators].toSorted())
})

test('from this machine under a name that is not its own (DNS rebinding): not there', async () => {
  const { request } = await import('node:http')
  const status = await new Promise((resolve, reject) => {
    const { port } = new URL(closed.baseUrl)
    request(
      { host: '127.0.0.1', port, path: '/captured', headers: { host: 'evil.example' } },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
      .on('error', reject)
      .end()
  })
  assert.equal(status, 404)
})

const own = ownAddress()
const fromElsewhere = own === null ? { skip: 'this machine has no address but loopback' } : {}
const namesOf = ({ headers }: Page): string[] => [...headers.keys()]
const remote = (base: string): string => base.replace('127.0.0.1', own ?? '')

test(
  'from elsewhere without a token set: 404 as for any unknown path, for any claimed origin',
  fromElsewhere,
  async () => {
    const base = remote(closed.baseUrl)
    for (const path of [
      ...['/captured', '/captured/style.css', '/captured/pages/x', '/metrics'],
      ...[at, `${at}/x`, `${at}/x/raw`],
    ]) {
      for (const headers of [
        {},
        { 'x-forwarded-for': '127.0.0.1' },
        { authorization: 'Bearer null' },
        { accept: 'text/html' },
      ]) {
        const hidden = await query(path, headers, base)
        // The nearest operation of an unknown address is named: GET /api/v1/captured is one.
        const [name, elsewhere] =
          path === '/metrics' ? [path, '/nothing'] : ['/captured', '/emails']
        const unknown = await query(path.replace(name, elsewhere), headers, base)
        assert.equal(hidden.status, 404)
        assert.equal(hidden.text, unknown.text.replaceAll(elsewhere, name))
        assert.deepEqual(namesOf(hidden), namesOf(unknown))
      }
    }
  },
)

test(
  'from elsewhere with the token as a bearer: open; with another: 404',
  fromElsewhere,
  async () => {
    const base = remote(api.baseUrl)
    for (const path of ['/captured', '/metrics', at, pathOf(await newest())]) {
      const opened = await fetch(base + path, {
        headers: { authorization: `Bearer ${operatorToken}` },
        redirect: 'manual',
      })
      assert.equal(opened.status, path === '/captured' ? 302 : 200)
      if (path === '/captured') continue
      assert.deepEqual(
        ['cache-control', 'x-content-type-options'].map((name) => opened.headers.get(name)),
        ['no-store', 'nosniff'],
        path,
      )
      assert.equal(
        (await query(path, { authorization: `Bearer ${operatorToken}x` }, base)).status,
        404,
      )
      assert.equal((await query(path, {}, base)).status, 404)
    }
  },
)

test(
  'a sign-in form of more than 4 KB is refused at once, and is not read to its end',
  fromElsewhere,
  async () => {
    const { request } = await import('node:http')
    const declaredBytes = 1_000_000
    const status = await new Promise((resolve, reject) => {
      const post = request(`${remote(api.baseUrl)}/captured/enter`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': declaredBytes,
        },
        signal: AbortSignal.timeout(120_000),
      })
      post.on('error', reject)
      post.on('response', (response) => {
        resolve(response.statusCode)
        response.resume()
        post.destroy()
      })
      post.write(`token=${operatorToken}&next=${'x'.repeat(5_000)}`)
    })
    assert.equal(status, 404)
  },
)

test(
  'from elsewhere with a browser: a form, then a cookie that opens until one leaves',
  fromElsewhere,
  async () => {
    const base = remote(api.baseUrl)
    const { id, workspace: slug } = await newest()
    const path = `/captured/${slug}/${id}`
    const form = await query(path, { accept: 'text/html' }, base)
    assert.equal(form.status, 404)
    assert.match(form.text, new RegExp(`name="next" value="${path}"`))
    assert.equal((await query('/captured/style.css', {}, base)).status, 200)

    const post = (
      to: string,
      fields: Record<string, string>,
      headers: Record<string, string> = {},
    ) =>
      fetch(base + to, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers,
        redirect: 'manual',
      })
    const wrong = await post('/captured/enter', { token: 'no', next: path })
    assert.equal(wrong.status, 404)
    assert.equal(wrong.headers.get('set-cookie'), null)
    assert.match(await wrong.text(), /role="alert"/)
    assert.equal(
      (await post('/captured/enter', { token: operatorToken }, { origin: 'https://evil.example' }))
        .status,
      404,
    )
    assert.equal(
      (await post('/captured/enter', { token: operatorToken }, { 'sec-fetch-site': 'cross-site' }))
        .status,
      404,
    )
    const away = await post('/captured/enter', {
      token: operatorToken,
      next: '//evil.example/captured',
    })
    assert.equal(away.headers.get('location'), '/captured')

    const entered = await post('/captured/enter', { token: operatorToken, next: path })
    assert.equal(entered.status, 303)
    assert.equal(entered.headers.get('location'), path)
    const setCookie = entered.headers.get('set-cookie') ?? ''
    assert.match(
      setCookie,
      /^facteur-operator=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    assert.ok(!setCookie.includes(operatorToken))
    const cookie = setCookie.split(';')[0] ?? ''
    assert.equal((await query(path, { cookie }, base)).status, 302)
    const opened = await query(at, { cookie }, base)
    assert.partialDeepStrictEqual(JSON.parse(opened.text), { operator: { by_token: true } })
    assert.equal((await query(path, { cookie: `${cookie}x` }, base)).status, 404)
    const left = await post('/captured/leave', {}, { cookie })
    assert.match(left.headers.get('set-cookie') ?? '', /^facteur-operator=; Path=\/; Max-Age=0;/)
    for (const { headers } of [entered, left])
      assert.equal(headers.get('cache-control'), 'no-store')
  },
)

test('behind a proxy on this machine: the address that it names counts, also when it is not trusted', async () => {
  for (const forwarded of ['192.0.2.7', '127.0.0.1, 192.0.2.7', '192.0.2.7, 127.0.0.1']) {
    for (const path of ['/captured', at])
      assert.equal((await query(path, { 'x-forwarded-for': forwarded })).status, 404)
  }
  assert.equal((await query(at, { 'x-forwarded-for': '127.0.0.1' })).status, 200)
})

test('a public base URL: the token alone opens, also to a proxy on this machine that names no visitor', async () => {
  const metrics = createMetrics(outside.service, { freeBytes: () => null, roomBytes: () => null })
  const health = await serveHealth(outside.service, {
    host: '127.0.0.1',
    port: 0,
    metrics,
    operatorToken,
  })
  after(() => health.close())
  for (const [path, base] of [
    [at, outside.baseUrl],
    ['/metrics', outside.baseUrl],
    ['/metrics', health.address],
  ] as const) {
    assert.equal((await query(path, {}, base)).status, 404, path)
    assert.equal((await query(path, { 'x-forwarded-for': '127.0.0.1' }, base)).status, 404)
    assert.equal(
      (await query(path, { authorization: `Bearer ${operatorToken}` }, base)).status,
      200,
    )
  }
  assert.equal((await query('/healthz', {}, health.address)).status, 200, 'for load balancers')
})

test('429: tokens that are wrong ten times within a quarter of an hour from one network; the right one costs no try', async () => {
  const enter = (token: string): Promise<Response> =>
    fetch(`${outside.baseUrl}/captured/enter`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
      redirect: 'manual',
    })
  for (let tries = 0; tries < 9; tries++) assert.equal((await enter('no')).status, 404)
  for (let entries = 0; entries < 3; entries++)
    assert.equal((await enter(operatorToken)).status, 303)
  assert.equal((await enter('no')).status, 404)
  const refused = await enter(operatorToken)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 800)
  assert.match(await refused.text(), /Patientez un peu/)
  await outside.moveClock('16 minutes')
  assert.equal((await enter(operatorToken)).status, 303)
})
