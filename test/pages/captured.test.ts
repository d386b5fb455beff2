/**
 * The capture mailbox over HTTP: what it shows, to whom, and that nothing a caller wrote gets out
 * of its place.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
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

/** Addresses of the mails that a list shows. */
const mailsOn = ({ text }: Page): string[] =>
  [...text.matchAll(/href="(\/captured\/[\w-]+\/[\w-]+)"/g)].map((match) => match[1] ?? '')

const newest = async (): Promise<string> =>
  mailsOn(await query('/captured'))[0] ?? assert.fail('the list is empty')

test('an empty list says how to send the first mail, in French and in English', async () => {
  const french = await query('/captured')
  assert.equal(french.status, 200)
  assert.match(french.text, /<html lang="fr">[^]*Aucun e-mail pour l&#39;instant/)
  assert.match(french.text, /curl http:\/\/127\.0\.0\.1:\d+\/api\/v1\/emails[^]*hello@pages\.test/)
  assert.match(french.text, /bounced\+test@simulator\.test/)
  const english = await query('/captured', { 'accept-language': 'en-GB,fr;q=0.5' })
  assert.match(english.text, /<html lang="en">[^]*No mail yet/)
})

test('a mail: the list shows it, its page its content and its outcome', async () => {
  const file = { filename: 'facture é.txt', content: Buffer.from('chiffres').toString('base64') }
  await send(workspace, {
    to: ['bounced@simulator.test', 'you@example.com'],
    cc: 'cc@example.com',
    html: '<p>Riche</p>',
    attachments: [file],
  })
  const list = await query('/captured')
  assert.match(list.text, /Hello[^]*hello@pages\.test|Hello[^]*Demo/)
  const path = await newest()
  const page = await query(path)
  for (const shown of [
    'It works.',
    'you@example.com',
    'cc@example.com',
    'facture é.txt',
    `${path}/html`,
    `${path}/raw`,
  ]) {
    assert.ok(page.text.includes(shown), shown)
  }
  assert.match((await query(`${path}/html`)).text, /<p>Riche<\/p>/)
  const raw = await query(`${path}/raw`)
  assert.equal(raw.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match(raw.text, /^Feedback-ID: [^\r]+\r\nFrom: Demo <hello@pages\.test>\r\n/)
  const download = await query(`${path}/mail.eml`)
  assert.equal(download.text, raw.text)
  assert.match(
    download.headers.get('content-disposition') ?? '',
    /^attachment; filename="[\w-]+\.eml"$/,
  )
  const content = await query(`${path}/files/0`)
  assert.equal(content.text, 'chiffres')
  assert.equal(
    content.headers.get('content-disposition'),
    "attachment; filename*=UTF-8''facture%20%C3%A9.txt",
  )
  assert.equal(content.headers.get('content-type'), 'application/octet-stream')
})

/** The page once it waits for nothing more. */
const untilQuiet = (path: string) =>
  until(
    () => query(path),
    ({ text }) => !text.includes('http-equiv="refresh"'),
  )

test('each recipient has its own status, and its reason', async () => {
  const id = await send(workspace, {
    to: ['bounced+page@simulator.test', 'fine@example.com'],
    subject: 'Statuses',
  })
  await workspace.capturedMails(id, 2)
  const path = await newest()
  const page = await untilQuiet(path)
  assert.match(
    page.text,
    /bounced\+page@simulator\.test[^]*?rebond[^]*?550 5\.1\.1[^]*?fine@example\.com[^]*?distribué/,
  )
})

test('mails of a campaign: each with its reader’s subject and its outcome', async () => {
  const list = await api.workspace('campaign-pages')
  for (const [email, firstName] of [
    ['zoe@example.com', 'Zoé <i>'],
    ['bounced+zoe@simulator.test', ''],
  ]) {
    const body = { email, firstName, double_opt_in: false }
    assertAnswered(await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: list.key, body }), 201)
  }
  const id = await draftOf(api, list, {
    subject: 'For {{firstName | default: "you"}}',
    text: 'Campaign text',
  })
  await sendCampaign(api, list, id)
  await untilSent(api, list, id)
  const page = await query('/captured?workspace=campaign-pages')
  assert.match(page.text, /For you[^]*hello@campaign-pages\.test[^]*bounced\+zoe@|bounced\+zoe@/)
  assert.ok(page.text.includes('For Zoé &#60;i&#62;'), page.text)
  assert.doesNotMatch(page.text, /\{\{/)
  assert.equal(mailsOn(page).length, 2)
  assert.ok(mailsOn(await query('/captured')).some((path) => mailsOn(page).includes(path)))
  for (const path of mailsOn(page)) {
    const mail = await untilQuiet(path)
    assert.ok(mail.text.includes('Campaign text'))
    if (mail.text.includes('bounced+zoe'))
      assert.match(mail.text, /bounced\+zoe@simulator\.test[^]*?rebond[^]*?550 5\.1\.1/)
    else assert.match(mail.text, /zoe@example\.com[^]*?distribué/)
    assert.match((await query(`${path}/raw`)).text, /^List-Unsubscribe: /m)
  }
})

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'\`</title></pre></textarea>`

test('hostile subject, name, text, html and file name: shown as text, and the HTML only where nothing runs', async () => {
  await send(workspace, {
    from: `${JSON.stringify(hostile)} <hello@${workspace.domain}>`,
    subject: hostile,
    text: hostile,
    html: `<p>${hostile}</p><script>parent.document.title = 'taken'</script>`,
    headers: { 'X-Odd': hostile },
    attachments: [{ filename: hostile, content: 'AAAA', content_type: 'text/html' }],
  })
  const path = await newest()
  for (const page of [
    await query('/captured'),
    await query(path),
    await query(path, { 'accept-language': 'en' }),
  ]) {
    assert.doesNotMatch(page.text, /<script|<img src=x|onerror=alert\(2\)>/)
    assert.ok(page.text.includes('&#60;script&#62;alert(1)'))
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none';/)
    assert.doesNotMatch(policy, /script-src|unsafe/)
    assert.match(policy, /frame-ancestors 'none'/)
  }
  assert.match((await query(path)).text, /<iframe src="[^"]+\/html" sandbox="" /)
  const frame = await query(`${path}/html`)
  assert.match(
    frame.headers.get('content-security-policy') ?? '',
    /^sandbox; default-src 'none'; img-src data:;/,
  )
  for (const part of ['html', 'raw', 'mail.eml', 'files/0']) {
    const { headers } = await query(`${path}/${part}`)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
    assert.equal(headers.get('cache-control'), 'no-store')
  }
})

test('an image of the mail itself is shown, one from elsewhere is not fetched', async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await send(workspace, {
    html: '<img src="cid:logo"><img src=cid:logo><img src="cid:none"><img src="https://example.com/spy.gif">',
    attachments: [{ filename: 'logo.png', content: png, content_id: 'logo' }],
  })
  const { text } = await query(`${await newest()}/html`)
  assert.equal(text.split(`data:image/png;base64,${png}`).length, 3)
  assert.doesNotMatch(text, /cid:none|spy\.gif/)
})

test('a long mail: its text is cut where a page ends, the source is whole', async () => {
  await send(workspace, { text: `${'long '.repeat(60_000)}the end`, subject: 'Long' })
  const path = await newest()
  const page = await query(path)
  assert.ok(!page.text.includes('the end'))
  assert.match(page.text, /La suite est coupée ici/)
  assert.ok((await query(`${path}/raw`)).text.includes('the end'))
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

  const first = await query('/captured?workspace=others')
  assert.equal(mailsOn(first).length, 50)
  const next =
    /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&#38;', '&') ??
    assert.fail('no next page')
  const second = await query(next)
  assert.equal(mailsOn(second).length, 5)
  assert.equal(new Set([...mailsOn(first), ...mailsOn(second)]).size, 55)
  assert.ok(!second.text.includes('http-equiv="refresh"'), 'only the first page asks again')

  const all = await query('/captured')
  assert.equal(mailsOn(all).length, 50)
  for (const slug of ['others', 'pages'])
    assert.ok(all.text.includes(`<option value="${slug}"`), slug)
  assert.ok(
    mailsOn(await query('/captured?workspace=pages')).every((path) =>
      path.startsWith('/captured/pages/'),
    ),
  )
})

test('the list asks again every 5 s until it is switched off', async () => {
  assert.match((await query('/captured')).text, /<meta http-equiv="refresh" content="5" \/>/)
  assert.ok(!(await query('/captured?refresh=off')).text.includes('http-equiv'))
})

test('404: unknown workspace, mail, part, file; a mail under another workspace', async () => {
  const path = await newest()
  const id = path.split('/').at(-1) ?? ''
  const elsewhere = path.includes('/pages/') ? 'others' : 'pages'
  const paths = [
    '/captured?workspace=none',
    '/captured/pages/x',
    `/captured/none/${id}`,
    `/captured/${elsewhere}/${id}`,
  ]
  for (const unknown of [...paths, `${path}/other`, `${path}/files/99`, `${path}/files/x`]) {
    const { status, headers } = await query(unknown)
    assert.equal(status, 404, unknown)
    assert.match(headers.get('content-type') ?? '', /json/)
  }
})

test('a slash at the end changes nothing', async () => {
  const path = await newest()
  // A page with refresh shows an outcome that may still change.
  await until(async () => !(await query(path)).text.includes('http-equiv="refresh"'))
  const page = await query(path)
  assert.equal(page.status, 200)
  assert.equal((await query(`${path}/`)).text, page.text)
})

test('an odd cursor is the first page', async () => {
  for (const before of ['x', '%00', 'W10'])
    assert.equal((await query(`/captured?before=${before}`)).status, 200)
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
    for (const path of ['/captured', '/captured/style.css', '/captured/pages/x', '/metrics']) {
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
    for (const path of ['/captured', '/metrics', await newest()]) {
      const opened = await fetch(base + path, {
        headers: { authorization: `Bearer ${operatorToken}` },
      })
      assert.equal(opened.status, 200)
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
    const path = await newest()
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
    const page = await query(path, { cookie }, base)
    assert.equal(page.status, 200)
    assert.match(page.text, /action="\/captured\/leave"/)
    assert.equal((await query(path, { cookie: `${cookie}x` }, base)).status, 404)
    const left = await post('/captured/leave', {}, { cookie })
    assert.match(left.headers.get('set-cookie') ?? '', /^facteur-operator=; Path=\/; Max-Age=0;/)
    for (const { headers } of [entered, left])
      assert.equal(headers.get('cache-control'), 'no-store')
  },
)

test('behind a proxy on this machine: the address that it names counts, also when it is not trusted', async () => {
  for (const forwarded of ['192.0.2.7', '127.0.0.1, 192.0.2.7', '192.0.2.7, 127.0.0.1']) {
    assert.equal((await query('/captured', { 'x-forwarded-for': forwarded })).status, 404)
  }
  assert.equal((await query('/captured', { 'x-forwarded-for': '127.0.0.1' })).status, 200)
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
    ['/captured', outside.baseUrl],
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
