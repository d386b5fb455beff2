/**
 * Nobody who left comes back by a file: the words and columns of other products, what a file says
 * of one address in two lines, and words that are not known. `test/cases` has files that once
 * subscribed who had left.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ImportInput } from '../../../src/core/audience/imports/engine/import-input.ts'
import { importSubscribers } from '../../../src/core/audience/imports/engine/import-subscribers.ts'
import {
  readColumns,
  type ColumnMapping,
} from '../../../src/core/audience/imports/columns/import-columns.ts'
import { UnansweredQuestions } from '../../../src/core/audience/imports/columns/unanswered-questions.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { startApi } from '../../support/api.ts'

const api = await startApi({ workers: false })
const context = { ...api.service, openLinkTokens: () => Promise.resolve(api.service.linkTokens) }
let workspaces = 0

interface Outcome {
  /** Status by address. */
  stored: Record<string, string>
  /** Reason by line. */
  refused: Record<number, string>
  subscribers: {
    email: string
    firstName: string | null
    lastName: string | null
    tags: string[]
    fields: object
  }[]
  workspaceId: number
}

/** Imports a file into an empty workspace, or into one that a test has. */
async function imported(
  text: string,
  {
    map = [],
    into,
    ...options
  }: Partial<ImportInput> & { map?: ColumnMapping[]; into?: number } = {},
): Promise<Outcome> {
  const workspaceId = into ?? (await api.workspace(`leavers ${++workspaces}`)).id
  const refused: Record<number, string> = {}
  await importSubscribers(context, {
    workspaceId,
    ...{
      fileName: 'people.csv',
      tags: [],
      consent: 'They asked at the fair',
      person: null,
      apiKeyId: null,
      since: null,
      dryRun: false,
    },
    columnsOf: (headers) => readColumns(headers, map),
    statusWords: [],
    tagSeparators: null,
    onReading: () => undefined,
    onProgress: () => undefined,
    signal: new AbortController().signal,
    async *open() {
      yield Buffer.from(text)
    },
    onRefused: async (lines) => {
      for (const { line, reason } of lines) refused[line] = reason
    },
    ...options,
  })
  const subscribers = await api.service.db.rows<
    Outcome['subscribers'][number] & { status: string }
  >(sql`
    select email, status, first_name, last_name, tags, fields from subscriber where workspace_id = ${workspaceId} order by email`)
  const stored = Object.fromEntries(subscribers.map(({ email, status }) => [email, status]))
  return { stored, refused, subscribers, workspaceId }
}

const example = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../cases', name), 'utf8')

/** Each file of `test/cases`, and the reasons of its lines. */
const files: Record<string, Record<number, string>> = {
  listmonk: { 2: 'file.unsubscribed' },
  'sendy-spam': { 2: 'file.complained' },
  resend: { 2: 'file.unsubscribed' },
  'mailchimp-unsubscribed': { 2: 'file.unsubscribed' },
  'mailchimp-cleaned': { 2: 'file.bounced' },
  brevo: { 2: 'file.unsubscribed' },
  words: { 2: 'file.unsubscribed', 3: 'file.unsubscribed', 4: 'file.bounced' },
  kit: { 2: 'file.unsubscribed' },
  header: { 2: 'file.unsubscribed' },
}
for (const [name, refused] of Object.entries(files))
  test(`${name}: whom the file calls gone is refused with the reason`, async () => {
    const outcome = await imported(example(`csv-leaver-subscribed--${name}.csv`))
    assert.deepEqual(outcome.refused, refused)
    assert.ok(!Object.values(outcome.stored).includes('subscribed'), JSON.stringify(outcome.stored))
  })

const statusWords: Record<string, [status: string | undefined, reason: string | undefined]> = {
  ...Object.fromEntries(
    [
      'subscribed',
      'Active',
      'enabled',
      'confirmed',
      'Opted in',
      'abonné(e)',
      'Inscrite',
      'ACTIF',
      '',
    ].map((word) => [word, ['subscribed', undefined]]),
  ),
  ...Object.fromEntries(
    ['pending', 'Unconfirmed', 'en attente', 'non confirmé'].map((word) => [
      word,
      ['pending', undefined],
    ]),
  ),
  ...Object.fromEntries(
    [
      ...[
        'unsubscribed',
        'Unsubscribe',
        'opted out',
        'opt-out',
        'blocklisted',
        'blacklisted',
        'disabled',
        'cancelled',
        'Non-Subscribed',
      ],
      ...[
        'Archived',
        'do not email',
        'désabonné',
        'Désinscrite',
        'bloqué',
        'NEVER_SUBSCRIBED',
        'liste noire',
        'supprimée',
      ],
    ].map((word) => [word, [undefined, 'file.unsubscribed']]),
  ),
  ...Object.fromEntries(
    ['bounced', 'Hard bounce', 'cleaned', 'unreachable', 'invalide'].map((word) => [
      word,
      [undefined, 'file.bounced'],
    ]),
  ),
  ...Object.fromEntries(
    ['complained', 'Marked as spam', 'spam', 'junk', 'plainte'].map((word) => [
      word,
      [undefined, 'file.complained'],
    ]),
  ),
}
test('words of a status in English and French, whatever their case, accents and punctuation', async () => {
  const words = Object.keys(statusWords)
  const { stored, refused } = await imported(
    `email,statut\n${words.map((word, n) => `n${n}@word.test,${word}\n`).join('')}`,
  )
  for (const [n, word] of words.entries())
    assert.deepEqual([stored[`n${n}@word.test`], refused[n + 2]], statusWords[word], `"${word}"`)
})

test('a column of departures: a date or a yes says so, a no and a date of zeros do not', async () => {
  for (const [header, reason] of [
    ['UNSUB_TIME', 'file.unsubscribed'],
    ['Unsubscribed', 'file.unsubscribed'],
    ['Désabonné le', 'file.unsubscribed'],
    ['Unsubscribed from all email', 'file.unsubscribed'],
    ['EMAIL_BLACKLISTED', 'file.unsubscribed'],
    ['CLEAN_TIME', 'file.bounced'],
    ['marked as spam', 'file.complained'],
    // As Brevo's page, Substack, Mailjet, phpList, SendGrid, Buttondown, HubSpot and Ghost name
    // them.
    ['Blocklisted email', 'file.unsubscribed'],
    ['email_disabled', 'file.unsubscribed'],
    ['IsExcludedFromCampaigns', 'file.unsubscribed'],
    ['Is this subscriber blacklisted', 'file.unsubscribed'],
    ['GLOBAL_UNSUBSCRIBE', 'file.unsubscribed'],
    ['unsubscription_date', 'file.unsubscribed'],
    ['Opted out of email: Marketing Information', 'file.unsubscribed'],
    ['Email hard bounce reason', 'file.bounced'],
    ['deleted_at', 'file.unsubscribed'],
  ]) {
    const noes = ['', '0', 'false', 'no', 'Non', '-', 'null', '0000-00-00 00:00:00', '0000-00-00']
    const yesses = ['2026-01-02 10:00:00', 'true', 'Yes', 'oui', '1', 'x', 'vrai']
    const rows = [...noes, ...yesses].map((cell, n) => `n${n}@date.test,"${cell}"\n`)
    const { stored, refused } = await imported(`email,${header}\n${rows.join('')}`)
    assert.deepEqual(
      Object.keys(stored).length,
      noes.length,
      `${header}: ${JSON.stringify(refused)}`,
    )
    assert.deepEqual(
      yesses.map((_, n) => refused[noes.length + n + 2]),
      yesses.map(() => reason),
      header,
    )
  }
})

test('a column of consent: only a no says that they left or never agreed, unless it is mapped to a field', async () => {
  const headers = [
    'subscribed_to_emails',
    'Accepts Email Marketing',
    'Subscribed',
    'Abonné',
    'Email opt-in',
    'newsletter',
    'is_active',
  ]
  const noes = ['0', 'false', 'no', 'Non', 'FAUX']
  const others = ['', '-', 'null', '0000-00-00', '2026-01-02 10:00:00', 'true', 'Yes', 'oui', '1']
  const rows = [...noes, ...others].map((cell, n) => `n${n}@consent.test,"${cell}"\n`).join('')
  const refusals = Object.fromEntries(noes.map((_, n) => [n + 2, 'file.unsubscribed']))
  for (const header of headers) {
    const { stored, refused } = await imported(`email,${header}\n${rows}`)
    assert.deepEqual(refused, refusals, header)
    assert.equal(Object.keys(stored).length, others.length, header)
  }
  const field = await imported(`email,newsletter\n${rows}`, {
    map: [{ header: 'newsletter', target: 'fields.newsletter' }],
  })
  assert.deepEqual(field.refused, {})
  const unconfirmed = await imported('email,confirmed\na@consent.test,1\nb@consent.test,0\n')
  assert.deepEqual(unconfirmed.stored, {
    'a@consent.test': 'subscribed',
    'b@consent.test': 'pending',
  })
  const none = await imported(
    'email,SMS_BLACKLISTED,active_subscription,Accepts SMS Marketing,unsubscribe_link\na@none.test,1,false,no,x\n',
  )
  assert.deepEqual(none.refused, {})
})

test('the address stands in a column as MailerLite, Wix, Mailjet and AcyMailing name it, beside a street and a JSON column', async () => {
  for (const header of ['Subscriber', 'Email 1', 'contact_email', 'subscriber.email']) {
    const { stored, refused } = await imported(
      `Address,${header},attribs\n1 High Street,a@named.test,"{""city"": ""Lyon""}"\n`,
    )
    assert.deepEqual([Object.keys(stored), refused], [['a@named.test'], {}], header)
  }
})

test('a departure wins: over the word of a status, in a column that is also a field, and over another line of the address', async () => {
  const both = await imported(
    'email,status,unsubscribed\na@wins.test,subscribed,true\nb@wins.test,unsubscribed,false\n',
  )
  assert.deepEqual(both.refused, { 2: 'file.unsubscribed', 3: 'file.unsubscribed' })
  const field = await imported('email,fields.unsubscribed,UNSUB_TIME\na@wins.test,x,2026-01-02\n', {
    map: [{ header: 'UNSUB_TIME', target: 'fields.left_on' }],
  })
  assert.deepEqual(field.refused, { 2: 'file.unsubscribed' })
  const lines =
    'email,status\nA@twice.test,subscribed\nb@twice.test,active\na@twice.test,unsubscribed\na@twice.test,active\n'
  const twice = await imported(lines)
  assert.deepEqual(twice.refused, {
    2: 'file.left_elsewhere',
    4: 'file.unsubscribed',
    5: 'file.left_elsewhere',
  })
  assert.deepEqual(twice.stored, { 'b@twice.test': 'subscribed' })
  assert.deepEqual((await imported(lines, { dryRun: true })).refused, twice.refused)
})

test('a departure far behind in a long file counts for its first line', async () => {
  const many = Array.from(
    { length: 5_000 },
    (_, n) => `n${n}@long.test,${n % 2 === 0 ? 'unsubscribed' : 'subscribed'}\n`,
  )
  const { stored, refused } = await imported(
    `email,status\nfirst@long.test,subscribed\n${many.join('')}first@long.test,cleaned\n`,
  )
  assert.equal(refused[2], 'file.left_elsewhere')
  assert.equal(Object.keys(stored).length, 2_500)
})

test('pending stays pending and gets no mail, whether the others are subscribed at once or asked', async () => {
  const text =
    'email,firstName,status\nanna@left.test,Anna,pending\nbert@left.test,Bert,subscribed\n'
  const { stored, workspaceId } = await imported(text)
  assert.deepEqual(stored, { 'anna@left.test': 'pending', 'bert@left.test': 'subscribed' })
  const evidence = await api.service.db.column(
    sql`select email from consent_evidence where workspace_id = ${workspaceId}`,
  )
  assert.deepEqual(evidence, ['bert@left.test'])
  const answer = await imported(text, { consent: null })
  assert.deepEqual(answer.stored, { 'anna@left.test': 'pending', 'bert@left.test': 'pending' })
  const confirmed = await api.service.db.column(sql`
    select email from subscriber where workspace_id = ${answer.workspaceId} and confirmation_sent_at is not null`)
  assert.deepEqual(confirmed, ['bert@left.test'])
  const own = await imported(example('csv-leaver-subscribed--own-pending.csv'))
  assert.deepEqual(own.stored, { 'anna@left.test': 'pending' })
})

const odd = `email,status\n${'a@odd.test,Gold\n'.repeat(3)}b@odd.test,Silver\nc@odd.test,active\nd@odd.test,unsubscribed\n`

test('a word that is not known stops the import before its first line, names each with its lines, and asks', async () => {
  const { id } = await api.workspace('odd words')
  const refusal = await imported(odd, { into: id }).catch((error: unknown) => error)
  assert.ok(refusal instanceof UnansweredQuestions)
  assert.deepEqual(refusal.words, [
    { column: 'status', word: 'Gold', count: 3 },
    { column: 'status', word: 'Silver', count: 1 },
  ])
  assert.match(
    refusal.message,
    /column "status": "Gold" \(3 lines\), "Silver" \(1 line\)\. .*--status-word "Gold=subscribed"/,
  )
  assert.deepEqual(
    await api.service.db.rows(sql`select from subscriber where workspace_id = ${id}`),
    [],
  )
  assert.deepEqual(
    await api.service.db.rows(sql`select from subscriber_import where workspace_id = ${id}`),
    [],
  )
  const output = [
    { word: 'gold', meaning: 'subscribed' },
    { word: 'SILVER', meaning: 'complained' },
  ] as const
  const { stored, refused } = await imported(odd, { into: id, statusWords: output })
  assert.deepEqual(stored, { 'a@odd.test': 'subscribed', 'c@odd.test': 'subscribed' })
  assert.deepEqual(refused, {
    3: 'duplicate',
    4: 'duplicate',
    5: 'file.complained',
    7: 'file.unsubscribed',
  })
})

test('half of the values are known words: the column is a status, whatever its header; with fewer it is none; mapped to a field it is one', async () => {
  const plan = (first: string): string =>
    `email,plan\na@half.test,${first}\nb@half.test,unsubscribed\n`
  const refusal = await imported(plan('gold')).catch((error: unknown) => error)
  assert.deepEqual(refusal instanceof UnansweredQuestions && refusal.words, [
    { column: 'plan', word: 'gold', count: 1 },
  ])
  const field = await imported(plan('gold'), { map: [{ header: 'plan', target: 'fields.plan' }] })
  assert.deepEqual(field.stored, { 'a@half.test': 'subscribed', 'b@half.test': 'subscribed' })
  const fewer = await imported(`${plan('gold')}c@half.test,gold\n`)
  assert.equal(Object.keys(fewer.stored).length, 3)
  const status = await imported(
    'email,where\na@half.test,cancelled\nb@half.test,x\nc@half.test,y\n',
    {
      map: [{ header: 'where', target: 'status' }],
      statusWords: [
        { word: 'x', meaning: 'subscribed' },
        { word: 'y', meaning: 'pending' },
      ],
    },
  )
  assert.deepEqual(
    [status.stored, status.refused],
    [{ 'b@half.test': 'subscribed', 'c@half.test': 'pending' }, { 2: 'file.unsubscribed' }],
  )
})

test('a word of punctuation alone is a word, and an empty cell is none', async () => {
  const text = 'email,status\na@sign.test,✓\nb@sign.test,\n'
  const refusal = await imported(text).catch((error: unknown) => error)
  assert.deepEqual(refusal instanceof UnansweredQuestions && refusal.words, [
    { column: 'status', word: '✓', count: 1 },
  ])
  const { stored } = await imported(text, { statusWords: [{ word: '✓', meaning: 'pending' }] })
  assert.deepEqual(stored, { 'a@sign.test': 'pending', 'b@sign.test': 'subscribed' })
})

test('lists of tags in quotes, a line that names the separator, empty lines before the header', async () => {
  const tagsOf = async (text: string) => (await imported(text)).subscribers.map(({ tags }) => tags)
  assert.deepEqual(await tagsOf(example('csv-tag-quotes--one.csv')), [['Gold']])
  assert.deepEqual(await tagsOf(example('csv-tag-quotes--two.csv')), [['Gold', 'Blog']])
  assert.deepEqual(
    await tagsOf('email,tags\na@tag.test,"""Gold, silver"", 5"" disk;a\\,b;\\""x"""\n'),
    [['Gold, silver', '5" disk', 'a,b', '"x"']],
  )
  for (const name of ['sep', 'blank']) {
    const { subscribers } = await imported(example(`csv-first-line--${name}.csv`))
    assert.deepEqual(
      subscribers.map(({ email, firstName: first }) => [email, first]),
      [['anna@first.test', 'Anna']],
      name,
    )
  }
  assert.deepEqual((await imported('SEP=|\r\nemail|status\r\na@first.test|bounced\r\n')).refused, {
    3: 'file.bounced',
  })
})

test('a name is divided where it is asked for; attributes become fields', async () => {
  const text = 'email,name\nanna@name.test,Anna Maria Berg\nbo@name.test,Bo\n'
  const namesOf = ({ subscribers }: Outcome) =>
    subscribers.map(({ firstName: first, lastName: last }) => [first, last])
  assert.deepEqual(namesOf(await imported(text)), [
    [null, null],
    [null, null],
  ])
  assert.deepEqual(namesOf(await imported(text, { map: [{ header: 'name', target: 'name' }] })), [
    ['Anna', 'Maria Berg'],
    ['Bo', null],
  ])
  const { subscribers, refused } = await imported(
    [
      'email,fields.city,attributes',
      `a@json.test,Lyon,"{""City"": ""Paris"", ""Date d'été"": ""1 July"", ""age"": 41, ""vip"": true, ""none"": null, ""of"": [1]}"`,
      'b@json.test,,"{""city"": ""Rome""}"',
      'c@json.test,,no json',
      'd@json.test,,"{""__proto__"": ""x"", ""1"": ""y""}"',
      'e@json.test,,[1]',
      '',
    ].join('\n'),
  )
  assert.deepEqual(
    subscribers.map(({ email, fields }) => [email, fields]),
    [
      ['a@json.test', { city: 'Lyon', date_d_ete: '1 July', age: '41', vip: 'true', of: '[1]' }],
      ['b@json.test', { city: 'Rome' }],
    ],
  )
  assert.deepEqual(refused, {
    4: 'attributes.malformed',
    5: 'attributes.key',
    6: 'attributes.malformed',
  })
})

test('reading the file reports its progress; an import that is stopped meanwhile stores nothing', async () => {
  const stop = new AbortController()
  let reported = 0
  const { id } = await api.workspace('stopped reading')
  const refusal = await imported(odd, {
    into: id,
    signal: stop.signal,
    onReading: (done) => {
      reported = done
      stop.abort()
    },
  }).catch((error: unknown) => error)
  assert.match(String(refusal), /Stopped while the file was read/)
  assert.equal(reported, Buffer.byteLength(odd))
  assert.deepEqual(
    await api.service.db.rows(sql`select from subscriber where workspace_id = ${id}`),
    [],
  )
})
