/** Every command on a database, for operators and for programs. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { allScopes } from '../../src/contract/scopes.ts'
import { sql } from '../../src/database/client/sql.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { at, keysAt } from '../support/json.ts'
import { programFile } from '../support/program.ts'
import { environmentWithoutSettings, here } from '../support/service.ts'
import { until } from '../support/until.ts'
import { createOperator, insertWaiting } from './facteur.ts'

const { url, connection } = await freshDatabase()
const operator = createOperator({
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
})

/** A workspace of a test's own. */
async function workspace(name: string): Promise<{ id: string; slug: string }> {
  const created = await operator.json(['workspace', 'create', name])
  return { id: String(at(created, 'id')), slug: String(at(created, 'slug')) }
}

const rowsOf = (list: unknown): unknown[] => {
  const rows = at(list, 'data')
  assert.ok(Array.isArray(rows), JSON.stringify(list))
  return rows
}

test('workspace: created, listed, shown by id and by slug, its rate set', async () => {
  const created = await operator.json(['workspace', 'create', 'Café du Nord'])
  const id = String(at(created, 'id'))
  assert.partialDeepStrictEqual(created, {
    slug: 'cafe-du-nord',
    name: 'Café du Nord',
    plan: 'default',
    rate_per_minute: 600,
  })
  assert.match(
    await operator.text(['workspace', 'create', 'Other']),
    /^Workspace "Other" is made \(id \d+, slug other\)\.\nNext: facteur domain add/,
  )
  await operator.refused(['workspace', 'create', 'CAFE du nord'], {
    code: 'conflict',
    exit: 1,
    message: /slug "cafe-du-nord" already/,
  })
  const list = await operator.json(['workspace', 'list'])
  assert.deepEqual(keysAt(list), ['data'])
  assert.deepEqual(rowsOf(list)[0], created)
  const table = (await operator.text(['workspace', 'list'])).split('\n')
  assert.equal(table[0]?.indexOf('NAME'), table[1]?.indexOf('Café du Nord'))
  assert.partialDeepStrictEqual(
    await operator.json(['workspace', 'set', 'cafe-du-nord', '--rate-per-minute', '1200']),
    {
      id,
      rate_per_minute: 1200,
    },
  )
  assert.match(
    await operator.text(['workspace', 'set', id, '--rate-per-minute', '50']),
    /^Rate per minute +50$/m,
  )
  assert.partialDeepStrictEqual(
    await operator.json(['workspace', 'set', id, '--confirmations-per-minute', '120']),
    { id, confirmations_per_minute: 120 },
  )
  const shown = await operator.json(['workspace', 'show', id])
  assert.partialDeepStrictEqual(shown, {
    id,
    rate_per_minute: 50,
    confirmations_per_minute: 120,
    quota: { limit: null, used: 0, remaining: null },
    domains: [],
    senders: [],
    keys: 0,
    sending: { status: 'active' },
  })
  assert.match(
    await operator.text(['workspace', 'show', 'cafe-du-nord']),
    /^Id +\d+\nSlug +cafe-du-nord\nName +Café du Nord\n[^]*^Quota:\n {2}Limit +none\n {2}Used +0$/m,
  )
  await operator.refused(['workspace', 'show', 'cafe-du-nor'], {
    code: 'not_found',
    exit: 1,
    message: /^There is no workspace "cafe-du-nor": did you mean cafe-du-nord\?/,
  })
})

test('workspace: language, postal address, contact and tracking are each set alone, and the others stay', async () => {
  const { slug } = await workspace('Voice')
  const set = (...flags: string[]): Promise<unknown> =>
    operator.json(['workspace', 'set', slug, ...flags])
  const reported = {
    language: null,
    postal_address: null,
    track_opens: true,
    track_clicks: true,
    rate_per_minute: 600,
  }
  assert.partialDeepStrictEqual(await operator.json(['workspace', 'show', slug]), reported)
  assert.partialDeepStrictEqual(
    await set('--postal-address', ' Voice \\n1 rue Basse\n\n75001 Paris'),
    {
      ...reported,
      postal_address: 'Voice\n1 rue Basse\n75001 Paris',
    },
  )
  assert.partialDeepStrictEqual(await set('--language', 'en', '--track-opens', 'off'), {
    ...{
      language: 'en',
      postal_address: 'Voice\n1 rue Basse\n75001 Paris',
      track_opens: false,
      track_clicks: true,
    },
  })
  assert.partialDeepStrictEqual(
    await set('--track-clicks', 'off', '--language', 'default', '--postal-address', 'none'),
    {
      ...reported,
      ...{ track_opens: false, track_clicks: false },
    },
  )
  assert.match(
    await operator.text(['workspace', 'show', slug]),
    /^Track opens +no\nTrack clicks +no$/m,
  )
  assert.partialDeepStrictEqual(await set('--contact', 'Ops@Voice.example'), {
    contact: 'ops@voice.example',
  })
  assert.match(await operator.text(['workspace', 'show', slug]), /^Contact +ops@voice\.example$/m)
  assert.partialDeepStrictEqual(await set('--contact', 'none'), { contact: null })
  await operator.refused(['workspace', 'set', slug, '--contact', 'nobody'], {
    code: 'usage',
    exit: 2,
    message: /not an address/,
  })
  await operator.refused(['workspace', 'set', slug], {
    code: 'usage',
    exit: 2,
    message: /^Nothing to set/,
  })
  await operator.refused(['workspace', 'set', slug, '--track-opens', 'yes'], {
    code: 'usage',
    exit: 2,
    message: /on nor off/,
  })
  await operator.refused(['workspace', 'set', slug, '--language', 'da'], {
    code: 'usage',
    exit: 2,
    message: /fr, en, de, es, it, nl, pt, default/,
  })
})

test('workspace: names without a Latin letter or digit do not meet in one slug', async () => {
  const [tokyo, kyoto] = [await workspace('東京'), await workspace('京都')]
  assert.match(tokyo.slug, /^w-[0-9a-f]{8}$/)
  assert.notEqual(tokyo.slug, kyoto.slug)
})

test('key: printed once when made, listed without it, revoked by its id', async () => {
  const { id, slug } = await workspace('Keys')
  const created = await operator.json([
    'key',
    'create',
    '--workspace',
    slug,
    '--name',
    'shop',
    '--scopes',
    'webhooks:read, emails:send',
  ])
  for (const name of ['id', 'name', 'prefix', 'key', 'scopes'])
    assert.ok(keysAt(created).includes(name), name)
  const key = String(at(created, 'key'))
  assert.match(key, new RegExp(`^fct_live_${id}_`))
  assert.ok(key.startsWith(String(at(created, 'prefix'))))
  assert.deepEqual(at(created, 'scopes'), ['emails:send', 'webhooks:read'])
  const text = await operator.text([
    'key',
    'create',
    '--workspace',
    id,
    '--name',
    'all',
    '--scopes',
    allScopes.join(','),
  ])
  assert.match(text, new RegExp(`^  fct_live_${id}_[0-9a-z]{42}$`, 'm'))
  const keyId = String(at(created, 'id'))
  const list = await operator.json(['key', 'list', '--workspace', slug])
  assert.partialDeepStrictEqual(rowsOf(list).at(-1), {
    id: keyId,
    workspace_id: id,
    name: 'shop',
    revoked_at: null,
  })
  assert.ok(!JSON.stringify(list).includes(key))
  assert.match(await operator.text(['key', 'list']), /shop +fct_live_\S+ +usable/)
  assert.match(await operator.text(['key', 'revoke', keyId]), /^Key "shop" of keys is revoked/)
  const revoked = await operator.json(['key', 'revoke', keyId])
  assert.match(String(at(revoked, 'revoked_at')), /^\d{4}-/)
  assert.match(
    await operator.text(['key', 'list', '--workspace', slug]),
    /shop +\S+ +revoked \d{4}/,
  )
  for (const unknown of ['nonsense', '00000000-0000-7000-8000-000000000000']) {
    await operator.refused(['key', 'revoke', unknown], {
      code: 'not_found',
      exit: 1,
      message: /^There is no key "\S+": "facteur key list" shows all\./,
    })
  }
  await operator.refused(['key', 'list', '--workspace', 'nobody'], {
    code: 'not_found',
    exit: 1,
    message: /^There is no workspace "nobody"/,
  })
})

test('domain: added as A-label, verified by --force alone, listed', async () => {
  const { id, slug } = await workspace('Domains')
  const added = await operator.json(['domain', 'add', '--workspace', slug, 'Exämple.test'])
  assert.partialDeepStrictEqual(added, {
    id: 'xn--exmple-cua.test',
    workspace_id: id,
    status: 'pending',
    verified_at: null,
  })
  assert.match(
    await operator.text(['domain', 'add', '--workspace', slug, 'b.test']),
    /^b\.test is a domain of domains \(pending\)\.\n\nto set +DKIM \(RSA\), required[\s\S]+\nNext: facteur domain verify/,
  )
  await operator.refused(['domain', 'verify', '--workspace', slug, 'c.test', '--force'], {
    code: 'not_found',
    exit: 1,
    message: /^domains has no domain "c\.test": did you mean b\.test\?/,
  })
  assert.partialDeepStrictEqual(
    await operator.json(['domain', 'verify', '--workspace', slug, 'b.test', '--force']),
    {
      id: 'b.test',
      status: 'verified',
    },
  )
  assert.match(
    await operator.text(['domain', 'verify', '--workspace', slug, 'b.test', '--force']),
    /^b\.test is verified/,
  )
  assert.match(
    await operator.text(['domain', 'add', '--workspace', slug, 'b.test']),
    /^b\.test is a domain of domains \(verified\)\.\n/,
  )
  assert.deepEqual(
    rowsOf(await operator.json(['domain', 'list', '--workspace', id])).map((row) =>
      at(row, 'name'),
    ),
    ['xn--exmple-cua.test', 'b.test'],
  )
  assert.match(await operator.text(['domain', 'list']), /^b\.test +domains +verified +\d{4}-/m)
})

test('sender: refused until its domain is verified, with the command that mends it; the first is the default, adding again renames', async () => {
  const { id, slug } = await workspace('Senders')
  const hello = ['sender', 'add', '--workspace', slug, 'hello@senders.test', '--name', 'Hello']
  await operator.refused(hello, {
    ...{ code: 'refused', exit: 1 },
    message:
      /^senders does not have the domain senders\.test\. Next: facteur domain add --workspace senders senders\.test$/m,
  })
  await operator.json(['domain', 'add', '--workspace', slug, 'senders.test'])
  await operator.refused(hello, {
    ...{ code: 'refused', exit: 1 },
    message:
      /^The domain senders\.test is not verified\. Next: facteur domain verify --workspace senders senders\.test$/m,
  })
  assert.deepEqual(rowsOf(await operator.json(['sender', 'list', '--workspace', slug])), [])
  await operator.json(['domain', 'verify', '--workspace', slug, 'senders.test', '--force'])
  assert.match(
    await operator.text(hello),
    /^Hello <hello@senders\.test> is the default sender of senders\.$/m,
  )
  assert.match(
    await operator.text(['sender', 'add', '--workspace', slug, 'news@senders.test']),
    /^news@senders\.test is a sender of senders\.$/m,
  )
  const renamed = await operator.json([
    'sender',
    'add',
    '--workspace',
    slug,
    'hello@senders.test',
    '--name',
    'Bonjour',
  ])
  assert.partialDeepStrictEqual(renamed, {
    workspace_id: id,
    name: 'Bonjour',
    email: 'hello@senders.test',
    default: true,
  })
  const list = rowsOf(await operator.json(['sender', 'list', '--workspace', slug]))
  assert.deepEqual(
    list.map((row) => [at(row, 'email'), at(row, 'default')]),
    [
      ['hello@senders.test', true],
      ['news@senders.test', false],
    ],
  )
  assert.match(await operator.text(['sender', 'list']), /hello@senders\.test +Bonjour +yes/)
  await connection.count(sql`update domain set status = 'pending' where name = 'senders.test'`)
  await operator.refused(['sender', 'default', '--workspace', slug, 'news@senders.test'], {
    ...{ code: 'refused', exit: 1, message: /^The domain senders\.test is not verified\./ },
  })
})

test('plan: a number or none, shared by all that are on it', async () => {
  const [first, second] = [await workspace('Plan one'), await workspace('Plan other')]
  const set = await operator.json([
    'plan',
    'set',
    '--workspace',
    first.slug,
    '--name',
    'pro',
    '--monthly',
    '50000',
  ])
  assert.deepEqual(set, {
    id: 'pro',
    name: 'pro',
    monthly_quota: 50_000,
    workspace_id: first.id,
    workspaces: 1,
  })
  assert.match(
    await operator.text([
      'plan',
      'set',
      '--workspace',
      second.id,
      '--name',
      'pro',
      '--monthly',
      '100',
    ]),
    /^plan-other is on the plan "pro": 100 recipients a month\. So is 1 other workspace\.\n$/,
  )
  assert.partialDeepStrictEqual(await operator.json(['workspace', 'show', first.slug]), {
    plan: 'pro',
    quota: { limit: 100 },
  })
  assert.partialDeepStrictEqual(
    await operator.json([
      'plan',
      'set',
      '--workspace',
      first.slug,
      '--name',
      'pro',
      '--monthly',
      'none',
    ]),
    { monthly_quota: null },
  )
})

test('suppression of a workspace: added, listed, looked up, removed', async () => {
  const { id, slug } = await workspace('Closed')
  await insertWaiting(url, id, 'ada@example.com')
  const added = await operator.json(['suppression', 'add', '--workspace', slug, 'Ada@Example.com'])
  assert.partialDeepStrictEqual(added, {
    email: 'ada@example.com',
    reason: 'manual',
    scope: 'organization',
  })
  assert.deepEqual(await recipients(id), [{ status: 'failed', error: 'suppressed: manual' }])
  assert.match(
    await operator.text(['suppression', 'add', '--workspace', slug, 'bob@example.com']),
    /^bob@example\.com receives nothing further from closed \(manual\)\.\n$/,
  )
  assert.deepEqual(
    rowsOf(await operator.json(['suppression', 'list', '--workspace', slug])).map((row) =>
      at(row, 'email'),
    ),
    ['bob@example.com', 'ada@example.com'],
  )
  assert.deepEqual(
    rowsOf(await operator.json(['suppression', 'list', '--workspace', slug, 'ADA@example.com'])),
    [added],
  )
  assert.equal(
    await operator.text(['suppression', 'list', '--workspace', slug, 'eve@example.com']),
    'eve@example.com is not suppressed.\n',
  )
  assert.partialDeepStrictEqual(
    await operator.json(['suppression', 'remove', '--workspace', slug, 'ada@example.com']),
    added,
  )
  await operator.refused(['suppression', 'remove', '--workspace', slug, 'ada@example.com'], {
    code: 'not_found',
    exit: 1,
    message: /^The list of closed does not hold ada@example\.com\.$/m,
  })
})

test('suppression of the platform: pending mail of every workspace is completed, and each workspace sees why', async () => {
  const [first, second] = [await workspace('Platform one'), await workspace('Platform other')]
  for (const { id } of [first, second]) await insertWaiting(url, id, 'all@example.com')
  assert.match(
    await operator.text(['suppression', 'add', '--platform', 'all@example.com']),
    /^all@example\.com receives nothing further from any workspace \(manual\)\. 2 waiting for it will not be sent\./,
  )
  for (const { id } of [first, second])
    assert.deepEqual(await recipients(id), [{ status: 'failed', error: 'suppressed: manual' }])
  assert.partialDeepStrictEqual(
    rowsOf(await operator.json(['suppression', 'list', '--platform'])),
    [{ email: 'all@example.com', scope: 'platform' }],
  )
  assert.partialDeepStrictEqual(
    rowsOf(
      await operator.json(['suppression', 'list', '--workspace', first.id, 'all@example.com']),
    ),
    [{ scope: 'platform' }],
  )
  await operator.refused(['suppression', 'remove', '--workspace', first.slug, 'all@example.com'], {
    code: 'not_found',
    exit: 1,
    message: /but the platform's does: facteur suppression remove --platform all@example\.com/,
  })
  assert.partialDeepStrictEqual(
    await operator.json(['suppression', 'remove', '--platform', 'all@example.com']),
    {
      scope: 'platform',
    },
  )
  await operator.refused(['suppression', 'remove', '--platform', 'all@example.com'], {
    code: 'not_found',
    exit: 1,
    message: /^The platform's list does not hold/,
  })
  await operator.refused(
    ['suppression', 'add', '--platform', '--workspace', first.slug, 'a@b.test'],
    {
      code: 'usage',
      exit: 2,
      message: /not both/,
    },
  )
})

test('a list longer than a page is whole, in order and without repeats; a reader that goes away ends it', async () => {
  const { id, slug } = await workspace('Long')
  await runOn(
    url,
    `insert into suppression (workspace_id, email, id, reason, created_at)
     select ${id}, n || '@long.test', gen_random_uuid(), 'manual', date_trunc('milliseconds', facteur_now()) - (n / 7) * interval '1 second'
     from generate_series(1, 20000) n`,
  )
  const list = rowsOf(await operator.json(['suppression', 'list', '--workspace', slug]))
  assert.equal(new Set(list.map((row) => at(row, 'id'))).size, 20_000)
  const times = list.map((row) => String(at(row, 'created_at')))
  assert.deepEqual(times, times.toSorted().toReversed())

  const reader = spawn(
    process.execPath,
    [programFile, 'suppression', 'list', '--workspace', slug],
    {
      cwd: here,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...environmentWithoutSettings(), DATABASE_URL: url },
    },
  )
  reader.stdout.once('data', () => reader.stdout.destroy())
  const [code] = await once(reader, 'exit')
  assert.equal(code, 0)
})

test('exit code 130: Ctrl-C ends a list where it is', async () => {
  const { id, slug } = await workspace('Interrupted')
  // Many pages: a few are read before the launcher has passed the signal on.
  const all = 100_000
  await runOn(
    url,
    `insert into suppression (workspace_id, email, id, reason, created_at)
     select ${id}, n || '@interrupted.test', gen_random_uuid(), 'manual', facteur_now() from generate_series(1, ${all}) n`,
  )
  const program = spawn(
    process.execPath,
    [programFile, 'suppression', 'list', '--workspace', slug],
    {
      cwd: here,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...environmentWithoutSettings(), DATABASE_URL: url },
    },
  )
  let output = ''
  program.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(program, 'close')
  await connection.transaction(async (tx) => {
    await tx.count(sql`lock table suppression in access exclusive mode`)
    const waiting = sql`select from pg_stat_activity where datname = current_database() and application_name = 'facteur command' and wait_event_type = 'Lock'`
    while ((await connection.count(waiting)) === 0)
      await new Promise((resolve) => setImmediate(resolve))
    program.kill('SIGINT')
  })
  const [code] = await ended
  assert.equal(code, 130)
  assert.ok(output.split('\n').length < all, 'the rest is not asked for')
})

test('exit code 130: Ctrl-C ends work with a sentence, and a code for programs', async () => {
  for (const flags of [[], ['--json']]) {
    const program = spawn(process.execPath, [programFile, 'migrate', ...flags], {
      cwd: here,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environmentWithoutSettings(), DATABASE_URL: url },
    })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      program[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text))
    const ended = once(program, 'close')
    // The lock of migrations, for which a second process waits.
    await connection.transaction(async (tx) => {
      await tx.count(sql`select pg_advisory_xact_lock(7305202)`)
      await until(
        async () =>
          (await connection.count(sql`
        select from pg_stat_activity where datname = current_database() and application_name = 'facteur migrate'`)) >
          0,
      )
      program.kill('SIGINT')
      await ended
    })
    const message = 'Stopped before it was done: give the same command again.'
    assert.equal(program.exitCode, 130)
    if (flags.length > 0)
      assert.deepEqual(JSON.parse(output.stdout), { error: { code: 'stopped', message } })
    else assert.ok(output.stderr.endsWith(`${message}\n`), output.stderr)
  }
})

test('reputation: shown, floors set, resumed', async () => {
  const { id, slug } = await workspace('Reputation')
  await runOn(
    url,
    `insert into reputation_day (workspace_id, epoch, day, hand_offs, bounces, complaints) values (${id}, 0, (facteur_now() at time zone 'utc')::date, 200, 20, 1)`,
  )
  const shown = await operator.json(['reputation', 'show', '--workspace', slug])
  assert.deepEqual(shown, {
    id,
    status: 'suspended',
    suspended_by: 'bounce_rate',
    gmail: null,
    bounce_rate: 0.1,
    complaint_rate: 0.005,
    hand_offs: 200,
    bounces: 20,
    complaints: 1,
    min_hand_offs: 100,
    min_bounces: 5,
    min_complaints: 2,
    // No look-up has run yet.
    suspended_since: null,
  })
  assert.match(
    await operator.text(['reputation', 'show', '--workspace', id]),
    /^Sending +suspended\n[^]*20, 10\.00 % \(floor 5, limit 5 %\)[^]*facteur reputation resume --workspace reputation\n$/,
  )
  const set = await operator.json([
    'reputation',
    'set',
    '--workspace',
    slug,
    '--min-handoffs',
    '300',
    '--min-complaints',
    '0',
  ])
  assert.partialDeepStrictEqual(set, {
    status: 'active',
    min_hand_offs: 300,
    min_bounces: 5,
    min_complaints: 0,
  })
  assert.partialDeepStrictEqual(
    await operator.json([
      'reputation',
      'set',
      '--workspace',
      slug,
      '--min-handoffs',
      '10',
      '--min-bounces',
      '20',
    ]),
    { status: 'suspended' },
  )
  assert.match(
    await operator.text(['reputation', 'show', '--workspace', id]),
    /^Sending +suspended, reported on \d{4}-\d\d-\d\d \d\d:\d\d:?\d* UTC\n/,
  )
  await operator.refused(['reputation', 'set', '--workspace', slug], {
    code: 'usage',
    exit: 2,
    message: /^Nothing to set/,
  })
  assert.match(
    await operator.text(['reputation', 'resume', '--workspace', slug]),
    /^reputation may send; earlier counts no longer apply\./,
  )
  assert.partialDeepStrictEqual(await operator.json(['reputation', 'show', '--workspace', slug]), {
    status: 'active',
    hand_offs: 0,
    bounces: 0,
  })
  await runOn(
    url,
    `insert into reputation_day (workspace_id, epoch, day, hand_offs) values (${id}, 1, (facteur_now() at time zone 'utc')::date, 500);
    insert into postmaster_day (workspace_id, domain, day, spam_rate) values (${id}, 'acme.test', (facteur_now() at time zone 'utc')::date - 2, 0.0125);
    update workspace set gmail_suspended_until = ((facteur_now() at time zone 'utc')::date + 6)::timestamp at time zone 'utc' where id = ${id}`,
  )
  assert.match(
    await operator.text(['reputation', 'show', '--workspace', slug]),
    /^Sending +suspended\n[^]*\nGmail: 1\.25 % of the mails of acme\.test were reported as spam on [\d-]+ \(limit 0\.1 %\)[^]*until that day no longer counts/,
  )
})

test('captured: listed newest first, the bytes exactly as they are', async () => {
  const { id, slug } = await workspace('Captured')
  assert.match(
    await operator.text(['captured', 'list', '--workspace', slug]),
    /^No mail was captured\./,
  )
  await operator.refused(['captured', 'raw', '--workspace', slug], {
    code: 'not_found',
    exit: 1,
    message: /^No mail of captured was captured/,
  })
  const bytes = Buffer.concat([
    Buffer.from('Subject: x\r\n\r\n'),
    Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  ])
  const older = await insertCaptured(id, 'older', Buffer.from('older\r\n'), '1 hour')
  const newer = await insertCaptured(id, '\u001b[2Jnewer', bytes, '1 second')
  const list = await operator.json(['captured', 'list', '--workspace', slug])
  assert.deepEqual(
    rowsOf(list).map((row) => at(row, 'id')),
    [newer, older],
  )
  assert.partialDeepStrictEqual(rowsOf(list)[0], {
    recipient: 'you@example.com',
    size: bytes.length,
    subject: '\u001b[2Jnewer',
  })
  const table = await operator.text(['captured', 'list', '--workspace', slug])
  assert.ok(
    !table.includes('\u001b') && table.includes('\ufffd[2Jnewer'),
    'a subject cannot command the terminal',
  )
  for (const line of [
    ['captured', 'raw', '--workspace', slug, newer],
    ['captured', 'raw', '--workspace', slug],
  ]) {
    const output = await operator.run(line)
    assert.deepEqual([output.code, output.stderr], [0, ''])
    assert.ok(output.stdout.equals(bytes))
  }
  const json = await operator.json(['captured', 'raw', '--workspace', slug, newer])
  assert.ok(Buffer.from(String(at(json, 'raw')), 'base64').equals(bytes))
  const stranger = await workspace('Stranger')
  await operator.refused(['captured', 'raw', '--workspace', stranger.slug, newer], {
    code: 'not_found',
    exit: 1,
    message: /^stranger has no captured mail/,
  })
})

test('migrate: applies what is missing to an empty database, then nothing; commands do it by themselves', async () => {
  const admin = await runOn(url, 'select current_database() as name')
  const name = `${String(admin.rows[0]?.name)}_empty`
  await runOn(url, `create database ${name}`)
  try {
    const empty = createOperator({ DATABASE_URL: url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`) })
    const applied = at(await empty.json(['migrate']), 'applied')
    assert.ok(Array.isArray(applied) && applied[0] === '0001_ground.sql')
    assert.match(await empty.text(['migrate']), /^The database has this version already/)
    assert.match(await empty.text(['workspace', 'list']), /^There is no workspace yet/)
    await empty.refused(['workspace', 'show', 'acme'], {
      code: 'not_found',
      exit: 1,
      message: /^There is no workspace "acme"\./,
    })
  } finally {
    await runOn(url, `drop database ${name} with (force)`)
  }
})

async function recipients(workspaceId: string): Promise<unknown[]> {
  return (
    await runOn(url, `select status, error from recipient where workspace_id = ${workspaceId}`)
  ).rows
}

async function insertCaptured(
  workspaceId: string,
  subject: string,
  raw: Buffer,
  age: string,
): Promise<string> {
  const { rows } = await runOn(
    url,
    `with m as (
       insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
       values (${workspaceId}, gen_random_uuid(), '{}', '${subject}', 'a@b.test', facteur_now(), '2026-11-01') returning workspace_id, id)
     insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at)
     select workspace_id, gen_random_uuid(), id, 0, 'hello@b.test', 'you@example.com', '\\x${raw.toString('hex')}', facteur_now() - interval '${age}'
     from m returning id`,
  )
  return String(rows[0]?.id)
}
