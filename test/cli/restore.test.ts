/**
 * A disaster, as an operator lives it: a backup is made while a campaign leaves, the machine dies,
 * the backup is restored elsewhere, and what a receiver of webhooks logged since is taken back.
 * `FACTEUR_TEST_RECIPIENTS=20000` plays it with a campaign of that size.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { readReferee } from '../support/referee-sink.ts'
import { startProgram } from '../support/service.ts'
import { until } from '../support/until.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { createOperator } from './facteur.ts'
import { refuseStrangeFolder } from '../../src/entrypoints/cli/restore/restore-command.ts'

const recipients = Number(process.env['FACTEUR_TEST_RECIPIENTS'] ?? 300)
const folder = makeTemporaryFolder('restore')
const [home, elsewhere, backups, inbox] = ['home', 'elsewhere', 'backups', 'inbox'].map((name) =>
  join(folder, name),
) as [string, string, string, string]
const sink = spawn(
  process.execPath,
  [join(import.meta.dirname, '../support/referee-sink.ts'), '--dir', inbox],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
after(() => void sink.kill())
const [port] = (await once(createInterface(sink.stdout), 'line')) as [string]
const receiver = await startReceiver()
const relay = {
  FACTEUR_PROVIDER: 'smtp-relay',
  FACTEUR_SMTP_URL: `smtp://127.0.0.1:${port}?tls=none`,
}
/** The addressees of everything that arrived, in the order of arrival. */
const arrived = (): string[] =>
  existsSync(join(inbox, 'accepted.jsonl')) ? readReferee(inbox).flatMap(({ to }) => to) : []

const timeout = Math.max(300_000, recipients * 60)

test(
  'backup during a campaign, killed, restored elsewhere: nothing leaves by itself; released, everybody has it',
  { timeout },
  async (t) => {
    const first = await startProgram(t, {
      folder: home,
      env: { ...relay, FACTEUR_RATE_PER_SECOND: String(recipients / 8) },
    })
    await first.saying('"msg":"ready"')
    const key = /^ +(fct_live_\S+)$/m.exec(first.output())?.[1] ?? assert.fail(first.output())
    const old = createOperator({ FACTEUR_DATA: home })
    await old.json([
      'webhook',
      'create',
      '--workspace',
      'demo',
      '--events',
      'email.sent',
      receiver.url,
    ])
    const campaign = await sendCampaign(old)
    await post(first.port, key, {
      to: 'later@example.com',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    await until(() => arrived().length > recipients / 10)

    const before = arrived().length
    const backup = await old.json(['backup', backups])
    await until(() => arrived().length > before + 5)
    first.signalGroup('SIGKILL')
    await first.ended
    const left = arrived()
    const logged = receiver.calls.map(({ body }) => body)

    const operator = createOperator({ FACTEUR_DATA: elsewhere })
    const restored = await operator.run(['restore', String(at(backup, 'folder')), '--json'])
    assert.equal(restored.code, 0, restored.stdout.toString() + restored.stderr)
    assert.equal(at(JSON.parse(restored.stdout.toString()), 'taken_at'), at(backup, 'taken_at'))
    assert.equal(at(JSON.parse(restored.stdout.toString()), 'held', '0', 'mails'), 1)

    const second = await startProgram(t, { folder: elsewhere, env: relay })
    await second.saying('"msg":"ready"')
    assert.match(second.output(), /Mail is held after a restore/)
    await post(second.port, key, { to: 'new@example.com' })
    await until(() => arrived().includes('new@example.com'))
    assert.deepEqual(
      arrived(),
      [...left, 'new@example.com'],
      'only what was accepted after the restore left',
    )

    const review = await operator.json(['restore', 'review'])
    const pending = Number(at(review, 'campaigns', '0', 'pending'))
    assert.deepEqual(
      [at(review, 'campaigns', '0', 'id'), at(review, 'campaigns', '0', 'recipients')],
      [campaign, recipients],
    )
    assert.ok(pending > 0 && pending < recipients, String(pending))
    const reviewed = await operator.text(['restore', 'review'])
    assert.match(reviewed, /"News" \(.*\) was sending since .* to go/)
    assert.match(reviewed, / Next: \S.* restore release or discard/)
    assert.doesNotMatch(reviewed, /Look at it/)
    const doctor = await operator.run(['doctor'])
    assert.match(
      doctor.stdout.toString(),
      /restored from a backup at .*1 mail, 1 campaign with .* held/,
    )
    const metrics = await (await fetch(`http://127.0.0.1:${second.port}/metrics`)).text()
    assert.match(
      metrics,
      new RegExp(`facteur_held_after_restore\\{kind="campaign_recipient"\\} ${pending}\n`),
    )
    const resume = await operator.run(['campaign', 'resume', '--workspace', 'demo', campaign])
    assert.equal(resume.code, 1, 'only the operator who knows of the restore lets it go on')
    await operator.refused(['restore', 'release', '--all'], {
      code: 'usage',
      exit: 2,
      message: /some of it perhaps a second time\..* give --yes/,
    })
    await operator.refused(['restore', 'release'], {
      code: 'usage',
      exit: 2,
      message: /one of the three/,
    })
    assert.deepEqual(arrived(), [...left, 'new@example.com'])

    const log = join(folder, 'webhook-calls.ndjson')
    writeFileSync(log, logged.join('\n'))
    const taken = await operator.json(['restore', 'events', '--workspace', 'demo', log])
    assert.partialDeepStrictEqual(taken, { events: logged.length, refused: 0 })
    const known = Number(at(taken, 'campaign_recipients'))
    const afterwards = at(await operator.json(['restore', 'review']), 'campaigns', '0')
    assert.equal(at(afterwards, 'known_sent'), known)
    // Some of the known ones were in doubt.
    assert.ok(
      known > 0 &&
        Number(at(afterwards, 'pending')) >= pending - known &&
        Number(at(afterwards, 'pending')) < pending,
    )

    const released = await operator.json(['restore', 'release', '--all', '--yes'])
    assert.partialDeepStrictEqual(at(released, 'data', '0'), {
      slug: 'demo',
      mails: 1,
      campaigns: 1,
    })
    const everybody = Array.from({ length: recipients }, (_, n) => `reader${n}@example.com`)
    await until(
      () => {
        const there = new Set(arrived())
        return everybody.filter((email) => !there.has(email))
      },
      (missing) => missing.length === 0,
      Math.max(60_000, recipients * 40),
    )
    await until(
      async () =>
        at(await operator.json(['campaign', 'show', '--workspace', 'demo', campaign]), 'status') ===
        'sent',
    )
    const all = arrived()
    // The earliest place comes last, and stays.
    const placeOf = new Map(all.map((email, index) => [email, index] as const).toReversed())
    const repeated = all.filter((email, index) => placeOf.get(email) !== index)
    const isLogged = new Set(logged.map((body) => at(JSON.parse(body), 'data', 'recipient')))
    for (const email of repeated) {
      assert.ok(
        (placeOf.get(email) ?? 0) >= before,
        `${email} left before the backup, and once more after the release`,
      )
      assert.ok(
        !isLogged.has(email),
        `${email} was logged as sent, and left once more after the release`,
      )
    }
    assert.deepEqual(at(await operator.json(['restore', 'review']), 'data'), [])
    t.diagnostic(
      `${recipients} recipients: ${before} before the backup, ${left.length - before} between backup and crash, ${pending} held, ${known} known as sent by a log, ${repeated.length} repeated`,
    )
    second.signalGroup('SIGTERM')
    await second.ended
  },
)

test('a folder with an installation, and one with other files, are left as they are', async () => {
  const name = theBackup()
  const operator = createOperator({ FACTEUR_DATA: elsewhere })
  await operator.refused(['restore', name], {
    code: 'failed',
    exit: 1,
    message: /There is an installation already: restore into an empty folder/,
  })
  const other = join(folder, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'notes.txt'), '')
  await createOperator({ FACTEUR_DATA: other }).refused(['restore', name], {
    ...{ code: 'refused', exit: 1, message: /is not empty, and holds no database of Facteur/ },
  })
  for (const path of [join(other, 'notes.txt'), join(other, 'notes.txt', 'inner')])
    await createOperator({ FACTEUR_DATA: path }).refused(['restore', name], {
      ...{
        code: 'refused',
        exit: 1,
        message: /notes\.txt\S* is a file, or lies below one: name an empty folder/,
      },
    })
  // One lost disk or deleted folder would take both.
  for (const inner of [home, join(home, 'backups')])
    await createOperator({ FACTEUR_DATA: home }).refused(['backup', inner], {
      ...{
        code: 'refused',
        exit: 1,
        message: /lies in the data folder .* name a folder elsewhere/,
      },
    })
  // As of a command that was killed in its first moments.
  for (const left of ['database.json.new', 'owner.json']) {
    const started = join(folder, left)
    mkdirSync(started)
    writeFileSync(join(started, left), '')
    refuseStrangeFolder(started)
  }
})

test('damage is found before anything is made; what a restore left that did not end is refused until it is given again', async () => {
  const name = theBackup()
  const damaged = join(folder, 'damaged')
  cpSync(name, damaged, { recursive: true })
  writeFileSync(join(damaged, 'workspace.copy.zst'), Buffer.alloc(10_000))
  const path = join(folder, 'refused')
  const key = join(home, 'master.key')
  const operator = createOperator({ FACTEUR_DATA: path })
  const output = await operator.run(['restore', damaged, '--key', key])
  assert.equal(output.code, 1)
  assert.match(output.stderr, /is damaged: the bytes of workspace have another SHA-256/)
  assert.ok(!existsSync(path))

  const flipped = join(folder, 'flipped')
  cpSync(name, flipped, { recursive: true })
  const written = readFileSync(join(flipped, 'manifest.json'), 'utf8')
  writeFileSync(
    join(flipped, 'manifest.json'),
    written.replace(/("takenAt": ?"\d{4}-)\d\d/, '$1q1'),
  )
  assert.match((await operator.run(['restore', flipped, '--key', key])).stderr, /manifest/)
  assert.ok(!existsSync(path))

  // The rows of this one differ from its manifest, which only the load finds: it ends in its
  // middle.
  const other = join(folder, 'other-rows')
  cpSync(name, other, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(other, 'manifest.json'), 'utf8')) as {
    tables: { name: string; rows: number }[]
  }
  for (const table of manifest.tables) if (table.name === 'workspace') table.rows++
  writeFileSync(join(other, 'manifest.json'), JSON.stringify(manifest))
  assert.match(
    (await operator.run(['restore', other, '--key', key])).stderr,
    /is damaged: workspace has/,
  )
  // A partition that ends before it begins is refused by the database itself. The year is that of a
  // uuid of version 7.
  const bounds = written.replace(/(FOR VALUES FROM \('0)1/, '$19')
  assert.notEqual(bounds, written)
  writeFileSync(join(other, 'manifest.json'), bounds)
  assert.match(
    (await operator.run(['restore', other, '--key', key])).stderr,
    /is damaged: it does not fit its tables \(empty range/,
  )
  for (const line of [['start'], ['workspace', 'list'], ['doctor']]) {
    const refused = await operator.run(line)
    assert.equal(refused.code, 1, refused.stdout.toString())
    assert.match(
      refused.stdout.toString() + refused.stderr,
      /A restore into .* did not end: give the same restore again, or empty/,
    )
  }
  assert.ok(!existsSync(join(path, 'master.key')))
  const again = await operator.run(['restore', name, '--key', key])
  assert.equal(again.code, 0, again.stderr)
  assert.match((await operator.run(['workspace', 'list'])).stdout.toString(), /demo/)
})

test('another key, and a backup of a newer version, are refused before anything is made', async () => {
  const name = theBackup()
  const empty = join(folder, 'empty')
  const other = createOperator({
    FACTEUR_DATA: empty,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  })
  await other.refused(['restore', name], {
    code: 'refused',
    exit: 1,
    message: /FACTEUR_MASTER_KEY is another key than that of the backup/,
  })
  const manifest = JSON.parse(readFileSync(join(name, 'manifest.json'), 'utf8')) as {
    migrations: object[]
  }
  manifest.migrations.push({ name: '9999_of_tomorrow.sql', hash: '' })
  const later = join(folder, 'later')
  mkdirSync(later)
  writeFileSync(join(later, 'manifest.json'), JSON.stringify(manifest))
  const operator = createOperator({
    FACTEUR_DATA: empty,
    FACTEUR_MASTER_KEY: readFileSync(join(home, 'master.key'), 'utf8').trim(),
  })
  await operator.refused(['restore', later], {
    code: 'failed',
    exit: 1,
    message: /is of a newer version of Facteur/,
  })
  assert.ok(!existsSync(empty))
})

/** The backup of the first test. */
function theBackup(): string {
  return join(
    backups,
    readdirSync(backups).find((name) => name.startsWith('facteur-')) ?? assert.fail('no backup'),
  )
}

async function sendCampaign(operator: ReturnType<typeof createOperator>): Promise<string> {
  const list = join(folder, 'readers.csv')
  writeFileSync(
    list,
    `email\n${Array.from({ length: recipients }, (_, n) => `reader${n}@example.com`).join('\n')}\n`,
  )
  const text = join(folder, 'news.txt')
  writeFileSync(text, 'What is new.')
  await operator.json([
    'subscriber',
    'import',
    '--workspace',
    'demo',
    '--consent',
    'Asked at the till',
    list,
  ])
  const created = await operator.json([
    'campaign',
    'create',
    '--workspace',
    'demo',
    '--name',
    'News',
    '--subject',
    'News',
    '--text',
    text,
  ])
  await operator.json([
    'campaign',
    'send',
    '--workspace',
    'demo',
    String(at(created, 'id')),
    '--undo-seconds',
    '0',
    '--yes',
  ])
  return String(at(created, 'id'))
}

async function post(servicePort: number, key: string, mail: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${servicePort}/api/v1/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from: 'hello@demo.test', subject: 'Hello', text: 'It works.', ...mail }),
  })
  assert.equal(answer.status, 202, await answer.text())
}
