/** `facteur campaign …` for operators and for programs, beside a running service. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startApi } from '../support/api.ts'
import { at, keysAt } from '../support/json.ts'
import { addSubscribers, draftOf, recipientsOf } from '../support/campaign-world.ts'
import { createOperator } from './facteur.ts'

const api = await startApi()
const shop = await api.workspace('shop')
await api.run(`update workspace set postal_address = 'Shop' where id = ${shop.id}`)
const operator = createOperator({ DATABASE_URL: api.database.url, FACTEUR_BASE_URL: api.baseUrl })
const folder = await mkdtemp(join(tmpdir(), 'facteur-campaign-'))
after(() => rm(folder, { recursive: true }))

const write = async (name: string, content: string): Promise<string> => {
  const file = join(folder, name)
  await writeFile(file, content)
  return file
}
const news = await write('news.txt', '# Hello {{firstName | default: "you"}}\n\nNews.')
const blocks = await write('blocks.json', JSON.stringify([{ type: 'paragraph', text: 'Hello' }]))

const line = (verb: string, ...rest: string[]): string[] => [
  'campaign',
  verb,
  '--workspace',
  'shop',
  ...rest,
]
const create = async (...flags: string[]): Promise<string> => {
  const created = await operator.json(
    line(
      'create',
      '--name',
      'November',
      '--subject',
      'New',
      ...(flags.length > 0 ? flags : ['--text', news]),
    ),
  )
  return String(at(created, 'id'))
}

test('campaign create, list, show and set: a draft from a file, as the API shows it', async () => {
  const id = await create()
  assert.partialDeepStrictEqual(await operator.json(line('show', id)), {
    ...{
      object: 'campaign',
      id,
      name: 'November',
      subject: 'New',
      kind: 'text',
      status: 'draft',
      from: 'hello@shop.test',
    },
  })
  assert.partialDeepStrictEqual(at(await operator.json(line('list')), 'data', '0'), {
    id,
    status: 'draft',
  })
  assert.deepEqual(await operator.json(line('list', '--status', 'sent')), { data: [] })
  assert.match(
    await operator.text(line('list')),
    new RegExp(`^${id} +November +draft +0 +0 +-$`, 'm'),
  )
  const changed = await operator.json(
    line('set', id, '--content', blocks, '--preheader', 'Soon', '--track-opens', 'off'),
  )
  assert.partialDeepStrictEqual(changed, { kind: 'content', preheader: 'Soon', name: 'November' })
  const text = await operator.text(line('set', id, '--subject', 'Newer'))
  assert.match(text, /^Subject +Newer$/m)
  assert.match(text, /^Follows opens +no\nFollows clicks +yes$/m)
  assert.match(
    await operator.text(
      line('create', '--name', 'N', '--subject', 'S', '--html', await write('x.html', '<p>x</p>')),
    ),
    /^"N" is a draft: \S+\nNext: facteur campaign test --workspace shop \S+ ADDRESS\n/,
  )
})

test('campaign create: a refusal names the place, and nothing is stored', async () => {
  const written = line('create', '--name', 'N', '--subject', 'S')
  const cases: [flags: string[], code: string, exit: 1 | 2, message: RegExp][] = [
    [[], 'usage', 2, /Give one of --text, --content and --html\.\n$/],
    [
      ['--text', join(folder, 'absent.txt')],
      'not_found',
      1,
      /absent\.txt: there is no such file\.\n$/,
    ],
    [['--content', news], 'refused', 1, /news\.txt is not JSON/],
    [
      ['--text', news, '--from', 'a@elsewhere.example'],
      'refused',
      1,
      /domain is not verified.*from: a@elsewhere\.example.*shop\.test/,
    ],
  ]
  const before = await operator.json(line('list'))
  for (const [flags, code, exit, message] of cases)
    await operator.refused([...written, ...flags], { code, exit, message })
  await operator.refused(
    line('create', '--name', 'N', '--subject', 'x'.repeat(999), '--text', news),
    {
      ...{ code: 'refused', exit: 1, message: /`subject` takes at most 998 characters/ },
    },
  )
  assert.deepEqual(await operator.json(line('list')), before)
  const id = await create()
  await operator.refused(line('set', id), { code: 'usage', exit: 2, message: /^Nothing to change/ })
  await operator.refused(line('show', 'nonsense'), {
    code: 'not_found',
    exit: 1,
    message: /^shop has no campaign "nonsense"/,
  })
})

test('campaign schedule, unschedule, duplicate, archive', async () => {
  const id = await create()
  const when = new Date(Date.now() + 86_400_000).toISOString()
  assert.partialDeepStrictEqual(await operator.json(line('schedule', id, '--scheduled-at', when)), {
    status: 'scheduled',
    scheduledAt: when,
  })
  await operator.refused(line('set', id, '--name', 'x'), {
    code: 'conflict',
    exit: 1,
    message: /status: scheduled/,
  })
  assert.equal(await operator.text(line('unschedule', id)), '"November" is a draft again.\n')
  await operator.refused(line('unschedule', id), {
    code: 'conflict',
    exit: 1,
    message: /status: draft/,
  })
  await operator.refused(line('schedule', id, '--scheduled-at', 'tomorrow'), {
    ...{
      code: 'refused',
      exit: 1,
      message: /`--scheduled-at` must be a time with its offset\..*RFC 3339/,
    },
  })
  await operator.refused(line('schedule', id, '--scheduled-at', '2020-01-01T00:00:00Z'), {
    ...{
      code: 'refused',
      exit: 1,
      message: /`--scheduled-at` is in the past: give a future time\.$/m,
    },
  })
  const copy = await operator.json(line('duplicate', id, '--name', 'Again'))
  assert.partialDeepStrictEqual(copy, { name: 'Again', status: 'draft', kind: 'text' })
  assert.partialDeepStrictEqual(await operator.json(line('archive', id)), {
    id,
    status: 'archived',
  })
})

test('campaign preview and test: one copy to look at', async () => {
  const id = await create()
  const html = await operator.run(line('preview', id))
  assert.match(html.stdout.toString(), /^<!DOCTYPE html>[\s\S]*Hello you/)
  assert.match(
    (await operator.run(line('preview', id, '--text'))).stdout.toString(),
    /^Hello you\n/,
  )
  assert.deepEqual(keysAt(await operator.json(line('preview', id))), [
    'id',
    'subject',
    'html',
    'text',
  ])
  const sent = await operator.json(line('test', id, 'you@example.com'))
  assert.partialDeepStrictEqual(sent, { object: 'campaign_test', id, to: 'you@example.com' })
  const [raw] = await shop.capturedMails(String(at(sent, 'email_id')), 1)
  assert.match(String(raw), /^Subject: \[Test\] New\r$/m)
  assert.match(
    await operator.text(line('test', id, 'you@example.com')),
    /on its way to you@example\.com.* See it on http:\S+\/captured\n$/,
  )
  await operator.refused(line('preview', id, '--as', 'nobody@example.com'), {
    code: 'not_found',
    exit: 1,
    message: /nobody@/,
  })
})

test('campaign preflight: exit code 1 while it finds a problem, with the next step', async () => {
  const empty = await api.workspace('empty')
  const id = await draftOf(api, empty, { text: 'Hello' })
  const output = await operator.run(['campaign', 'preflight', '--workspace', 'empty', id])
  assert.equal(output.code, 1)
  assert.match(
    output.stdout.toString(),
    /^problem +postal address +.*\n +→ facteur workspace set empty --postal-address/m,
  )
  assert.match(output.stdout.toString(), /\nIt would reach 0\. 2 problems to mend\.\n$/)
  const json = await operator.run(['campaign', 'preflight', '--workspace', 'empty', id, '--json'])
  assert.equal(json.code, 1)
  assert.partialDeepStrictEqual(JSON.parse(json.stdout.toString()), {
    object: 'campaign_preflight',
    id,
    status: 'problem',
    reachable: 0,
  })
})

test('campaign create --to and --except: segments by name or id; an unknown one stores no draft', async () => {
  const segmentOf = async (name: string, tag: string): Promise<string> => {
    const id = api.service.makeId()
    await api.run(`insert into segment (workspace_id, id, name, definition, created_at, updated_at)
      values (${shop.id}, '${id}', '${name}', '{"tag": "${tag}"}', facteur_now(), facteur_now())`)
    return id
  }
  await segmentOf('Customers', 'vip')
  const last = await segmentOf('Last week', 'week')
  const id = await create('--text', news, '--to', 'Customers', '--except', last)
  assert.deepEqual(at(await operator.json(line('show', id)), 'audience'), {
    name: 'Customers',
    exclusions: 1,
  })
  const drafts = async () => at(await operator.json(line('list')), 'data', 'length')
  const before = await drafts()
  await operator.refused(
    line('create', '--name', 'N', '--subject', 'S', '--text', news, '--to', 'Nobody'),
    { code: 'not_found', exit: 1, message: /no segment "Nobody"/ },
  )
  assert.equal(await drafts(), before)
})

test('campaign send: a draft with an audience names it, and goes to nobody else', async () => {
  const aimed = await api.workspace('aimed')
  await addSubscribers(api, aimed, 4)
  await api.run(`
    update workspace set postal_address = 'Aimed' where id = ${aimed.id};
    insert into subscriber_tag (workspace_id, name, created_at)
    select ${aimed.id}, name, facteur_now() from (values ('vip'), ('week')) t (name);
    update subscriber set tags = '{vip}' where workspace_id = ${aimed.id} and email not like 'person4@%';
    update subscriber set tags = '{vip,week}' where workspace_id = ${aimed.id} and email like 'person3@%';
    insert into segment (workspace_id, id, name, definition, created_at, updated_at)
    select ${aimed.id}, gen_random_uuid(), name, json_build_object('tag', tag), facteur_now(), facteur_now()
    from (values ('Customers', 'vip'), ('Last week', 'week')) s (name, tag)`)
  const on = (verb: string, ...rest: string[]) => [
    'campaign',
    verb,
    '--workspace',
    'aimed',
    ...rest,
  ]
  const draft = ['--name', 'November', '--subject', 'New', '--text', news]
  const created = await operator.json(
    on('create', ...draft, '--to', 'Customers', '--except', 'Last week'),
  )
  const id = String(at(created, 'id'))
  await operator.refused(on('send', id), {
    ...{ code: 'refused', exit: 1 },
    message: /would go to 2 \(Customers, 1 exclusion\), and cannot be called back/,
  })
  assert.match(await operator.text(on('show', id)), /audience +Customers, 1 exclusion/i)
  const sent = await operator.json(on('send', id, '--yes', '--canary', '1', '--undo-seconds', '0'))
  assert.equal(at(sent, 'queued'), 2)
  const emails = (await recipientsOf(api, aimed, id)).map(({ email }) => email)
  assert.deepEqual(emails, ['person1@example.com', 'person2@example.com'])
})

test('campaign send and schedule: refused where a second member must approve it, and campaign show says so', async () => {
  const id = await create()
  await api.run(`
    insert into approval_rule (workspace_id, operation, above, growth_percent)
    values (${shop.id}, 'campaign.send', 0, 5)`)
  await addSubscribers(api, shop, 1)
  const refused = { code: 'conflict', exit: 1, message: /second member must approve/ } as const
  await operator.refused(line('send', id, '--yes'), refused)
  await operator.refused(line('schedule', id, '--scheduled-at', 'in 1 hour'), refused)
  assert.match(await operator.text(line('show', id)), /approval +nobody asked for it/i)
  assert.equal(at(await operator.json(line('show', id)), 'status'), 'draft')
})
