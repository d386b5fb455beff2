/**
 * A workspace's own provider: set at the command line, used by every process within seconds, its
 * secret sealed for it alone.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { deleteFormerProvidersOf } from '../../../src/core/workspaces/set-provider.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { localCaptureChoice } from '../../../src/providers/local-capture/local-capture-kind.ts'
import { startApi, type Api, type TestWorkspace } from '../../support/api.ts'
import { ask, textAt } from '../../support/ask.ts'
import { startAwsStandIn, testAccount } from '../../support/aws-stand-in.ts'
import { at } from '../../support/json.ts'
import { programFile } from '../../support/program.ts'
import { startScriptedPeer } from '../../support/scripted-peer.ts'
import { createOperator, runProgram } from '../../cli/facteur.ts'
import { until } from '../../support/until.ts'

const aws = await startAwsStandIn()
const relay = await startScriptedPeer({ offers: ['AUTH PLAIN', 'PIPELINING'] })
const logged: string[] = []
const warn = (fields: object, message: string): void =>
  void logged.push(`${message} ${JSON.stringify(fields)}`)
const log = { debug: () => undefined, info: () => undefined, warn, error: warn }
const api = await startApi({ choice: localCaptureChoice, log })
const beside = await startApi({
  choice: localCaptureChoice,
  log,
  database: api.database,
  workers: false,
})
const [acme, other, third] = [
  await api.workspace('acme'),
  await api.workspace('other'),
  await api.workspace('third'),
]
after(async () => {
  await aws.close()
  await relay.close()
})

const { secretAccessKey, accessKeyId } = testAccount.credentials
const sessionToken = 'IQoJb3JpZ2luX2VjEPT//////////wEaCWV1LXdlc3QtMSJHMEUCIQ+/='
const env = {
  ...{ DATABASE_URL: api.database.url, FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') },
  ...{ ACME_SES: secretAccessKey, ACME_SMTP: 'pass word%/@' },
  WRONG_TOKEN: `${secretAccessKey} not-a-token!`,
  ACME_TEMPORARY: `${secretAccessKey}\n${sessionToken}`,
}
const operator = createOperator(env)
const set = ['provider', 'set', '--workspace', 'acme', '--type']
const ses = [
  ...set,
  'amazon-ses',
  '--region',
  testAccount.region,
  '--access-key-id',
  accessKeyId,
  '--endpoint',
  aws.url,
]
const smtp = [
  ...set,
  'smtp-relay',
  '--url',
  `smtp://ada%40acme.test@127.0.0.1:${relay.port}?tls=none`,
]

const send = async (service: Api, workspace: TestWorkspace): Promise<string> => {
  const email = {
    from: `hello@${workspace.domain}`,
    to: 'ada@example.com',
    subject: 'Bonjour',
    text: 'Bonjour',
  }
  const answer = await ask(service.baseUrl, 'POST /api/v1/emails', {
    key: workspace.key,
    body: email,
  })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return textAt(answer, 'id')
}
const untilBothUse = async (name: string): Promise<void> => {
  for (const { service } of [api, beside])
    await until(() => service.providers.of(acme.id).name === name)
}
const captured = async (): Promise<number> => {
  const rows = await api.service.db.rows<{ count: number }>(
    sql`select count(*)::int as count from captured_mail`,
  )
  return rows[0]?.count ?? 0
}

test('its mail leaves by it from every process, and that of others by the deployment’s', async () => {
  const output = await operator.json([...ses, '--secret-env', 'ACME_SES', '--rate', '14'])
  assert.partialDeepStrictEqual(output, {
    ...{ workspace_id: String(acme.id), type: 'amazon-ses', has_secret: true, rate_per_second: 14 },
    checks: [
      {
        status: 'ok',
        message:
          'Amazon SES in eu-west-1 answers, takes 14 a second, 49 988 of 50 000 left in 24 hours',
      },
      { status: 'warning', next: 'Set --queue-url, or --topic-arn (docs/providers.md).' },
    ],
  })
  await untilBothUse('amazon-ses')
  const before = await captured()
  await Promise.all([send(api, acme), send(beside, acme)])
  assert.equal(aws.sent.length, 2)
  assert.deepEqual(aws.forged, [])
  await send(api, other)
  await until(captured, (observed) => observed === before + 1)
  assert.equal(aws.sent.length, 2)
  assert.deepEqual(
    [acme.id, other.id].map((id) => api.service.providers.rateOf(id)),
    [{ key: `amazon-ses of workspace ${acme.id}`, perSecond: 14 }, null],
  )
})

test("delivery is assumed where the workspace's provider sends no feedback, and not with one that does", async () => {
  assert.deepEqual(
    [acme.id, other.id].map((id) => api.service.providers.of(id).reportsDelivery),
    [false, true],
  )
  const topic = 'arn:aws:sns:eu-west-1:123456789012:acme'
  await operator.json([...ses, '--secret-env', 'ACME_SES', '--topic-arn', topic])
  await until(() => api.service.providers.of(acme.id).reportsDelivery)
  assert.partialDeepStrictEqual(api.service.providers.feedbackSources(), [
    { workspaceId: acme.id, settings: { topicArns: [topic] } },
  ])
})

test('a temporary key: the session token is the second line of its secret, and each call is signed with it', async () => {
  await operator.json([...ses, '--secret-env', 'ACME_TEMPORARY'])
  await until(
    async () => {
      await send(api, acme)
      return aws.sent.at(-1)?.sessionToken
    },
    (observed) => observed === sessionToken,
  )
  assert.deepEqual(aws.forged, [])
  const refused = await operator.run([...ses, '--secret-env', 'WRONG_TOKEN'])
  assert.match(JSON.stringify(refused), /expected the session token of a temporary key/)
})

test('changed to a relay with a password from standard input: the next mail leaves by it', async () => {
  const output = await runProgram(
    [programFile, ...smtp, '--secret-file', '-'],
    env,
    Buffer.from(`${env.ACME_SMTP}\n`),
  )
  assert.equal(output.code, 0, output.stderr)
  assert.match(output.stdout.toString(), /answers and accepts the user and password/)
  assert.doesNotMatch(output.stdout.toString(), /pass word|pass%20word/)
  await untilBothUse('smtp-relay')
  const before = aws.sent.length
  await send(beside, acme)
  assert.deepEqual([relay.mails.length, aws.sent.length], [1, before])
  const login = relay.requests
    .flatMap(({ lines }) => lines)
    .find((line) => line.startsWith('AUTH PLAIN '))
  assert.equal(
    Buffer.from(login?.split(' ')[2] ?? '', 'base64').toString(),
    `\0ada@acme.test\0${env.ACME_SMTP}`,
  )
})

test('the secret is nowhere but sealed: not in the row, not in what is shown, not in the log', async () => {
  const [row] = await api.service.db.rows<{ choice: object; secret: Buffer }>(sql`
    select choice, secret from workspace_provider where workspace_id = ${acme.id}`)
  const stored = JSON.stringify(row?.choice) + row?.secret.toString('latin1')
  const shown = await operator.text(['provider', 'show', '--workspace', 'acme'])
  assert.match(
    shown,
    /the relay smtp:\/\/ada%40acme\.test@127\.0\.0\.1.*since .*UTC[^]*Secret: kept, sealed/,
  )
  const json = JSON.stringify(await operator.json(['provider', 'show', '--workspace', 'acme']))
  for (const text of [stored, shown, json, logged.join('\n')])
    for (const secret of [env.ACME_SMTP, encodeURIComponent(env.ACME_SMTP), secretAccessKey])
      assert.ok(!text.includes(secret))
})

test('sealed for one workspace, it opens for no other: that one’s mail waits, with the reason, and leaves by nothing else', async () => {
  const before = [relay.mails.length, await captured()]
  await api.run(`insert into workspace_provider (workspace_id, version, choice, secret, changed_at)
    select ${third.id}, nextval('workspace_provider_change'), choice, secret, changed_at from workspace_provider where workspace_id = ${acme.id}`)
  await until(() => api.service.providers.of(third.id).name === 'unusable')
  const id = await send(api, third)
  const waits = async (): Promise<string | null | undefined> =>
    (
      await api.service.db.rows<{ response: string | null }>(sql`
        select response from recipient where workspace_id = ${third.id} and message_id = ${id} and status = 'queued'`)
    )[0]?.response
  await until(waits, (observed) => observed !== null)
  assert.match((await waits()) ?? '', /provider cannot be opened/)
  assert.deepEqual([relay.mails.length, await captured()], before)
  assert.match(logged.join('\n'), /provider cannot be opened: its mail waits/)
})

test('a hand-off under way ends at its provider, while the next mail leaves by the new one', async () => {
  await operator.json([...ses, '--secret-env', 'ACME_SES'])
  await untilBothUse('amazon-ses')
  const slowly = Promise.withResolvers<void>()
  aws.answer(() => ({ status: 200, after: slowly.promise }))
  const slow = send(api, acme)
  await until(() => aws.last !== null && aws.sent.at(-1) === aws.last)
  aws.answer(undefined)
  await operator.json([...smtp, '--secret-env', 'ACME_SMTP'])
  await untilBothUse('smtp-relay')
  const before = relay.mails.length
  await send(api, acme)
  assert.equal(relay.mails.length, before + 1)
  slowly.resolve()
  const id = await slow
  const answer = await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: acme.key })
  assert.equal(at(answer.body, 'status'), 'sent')
})

test('every process accepts notices of a replaced account for fourteen days; its key stays for its queue alone', async () => {
  const [topic, queue] = ['arn:aws:sns:eu-west-1:123456789012:acme', `${aws.url}/123456789012/acme`]
  const heard = (): unknown[] =>
    api.service.providers
      .feedbackSources()
      .map(({ workspaceId, settings: { topicArns, queueUrl, credentials } }) => [
        ...[workspaceId, topicArns[0] ?? null, queueUrl, credentials.secretAccessKey],
      ])
  const untilHeard = async (expected: unknown[]): Promise<void> => {
    await until(heard, (observed) => isDeepStrictEqual(observed, expected))
  }
  await operator.text(['provider', 'unset', '--workspace', 'acme', '--erase'])
  const next = 'arn:aws:sns:eu-west-1:123456789012:other'
  await operator.json([...ses, '--secret-env', 'ACME_SES', '--topic-arn', topic])
  await operator.json([
    ...ses,
    '--secret-env',
    'ACME_SES',
    '--topic-arn',
    next,
    '--queue-url',
    queue,
  ])
  await untilHeard([
    [acme.id, next, queue, secretAccessKey],
    [acme.id, topic, null, ''],
  ])
  await operator.json([...ses, '--secret-env', 'ACME_SES', '--queue-url', queue])
  await untilHeard([
    [acme.id, null, queue, secretAccessKey],
    [acme.id, next, null, secretAccessKey],
    [acme.id, topic, null, ''],
  ])
  await operator.json([...smtp, '--secret-env', 'ACME_SMTP'])
  await untilHeard([
    [acme.id, null, queue, secretAccessKey],
    [acme.id, next, null, secretAccessKey],
    [acme.id, topic, null, ''],
  ])
  assert.match(
    await operator.text(['provider', 'show', '--workspace', 'acme']),
    /Notices of Amazon SES in eu-west-1.* are accepted until/,
  )
  await api.moveClock('13 days 23 hours')
  await deleteFormerProvidersOf(beside.service, acme.id)
  assert.equal(heard().length, 3)
  await api.moveClock('14 days 1 minute')
  await deleteFormerProvidersOf(beside.service, acme.id)
  await untilHeard([])
  await api.moveClock('0')
  const rows = await api.service.db.rows(
    sql`select from former_provider where workspace_id = ${acme.id}`,
  )
  assert.equal(rows.length, 0)
})

test('a relay that does not answer is set, and the exit code 1 says so', async () => {
  const line = [programFile, 'provider', 'set', '--workspace', 'other', '--type', 'smtp-relay']
  const output = await runProgram([...line, '--url', 'smtp://127.0.0.1:1?tls=none'], env)
  assert.equal(output.code, 1, output.stderr)
  assert.match(output.stdout.toString(), /Mail of other leaves by .*127\.0\.0\.1:1.*\nproblem: /s)
  await until(() => api.service.providers.of(other.id).name === 'smtp-relay')
  await operator.text(['provider', 'unset', '--workspace', 'other', '--erase'])
  await until(() => api.service.providers.of(other.id).name === 'local-capture')
})

test('taken back: erased, and its mail leaves by the deployment’s', async () => {
  assert.match(
    await operator.text(['provider', 'unset', '--workspace', 'acme']),
    /deployment's provider, within seconds/,
  )
  await untilBothUse('local-capture')
  const before = await captured()
  await send(beside, acme)
  await until(captured, (observed) => observed === before + 1)
  const [row] = await api.service.db.rows<{ choice: unknown; secret: unknown }>(sql`
    select choice, secret from workspace_provider where workspace_id = ${acme.id}`)
  assert.deepEqual(row, { choice: null, secret: null })
  assert.match(
    await operator.text(['provider', 'unset', '--workspace', 'acme']),
    /has no provider of its own/,
  )
})

test('unset --erase: no notice is accepted and no account stored, also of previous ones', async () => {
  const topic = 'arn:aws:sns:eu-west-1:123456789012:erased'
  await operator.json([...ses, '--secret-env', 'ACME_SES', '--topic-arn', topic])
  const output = await operator.text(['provider', 'unset', '--workspace', 'acme'])
  assert.match(output, /accepted until \d{4}-\d\d-\d\d .* --erase ends that now/)
  await until(() => api.service.providers.feedbackSources().length === 1)
  await operator.text(['provider', 'unset', '--workspace', 'acme', '--erase'])
  await until(() => api.service.providers.feedbackSources().length === 0)
  assert.match(
    await operator.text(['provider', 'unset', '--workspace', 'acme', '--erase']),
    /has no provider of its own/,
  )
})

test('refused: a secret in an argument, settings of another kind, malformed URLs, an unset variable', async () => {
  const usage: [line: string[], message: RegExp][] = [
    [
      [...set, 'smtp-relay', '--url', 'smtp://ada:secret@127.0.0.1'],
      /Leave the password out of --url/,
    ],
    [[...smtp, '--region', 'eu-west-1'], /--region is for amazon-ses/],
    [ses, /--secret-env or --secret-file: Amazon SES needs it/],
    [[...set, 'local-capture', '--secret-env', 'ACME_SES'], /local-capture has no secret/],
    [
      [...set, 'smtp-relay', '--url', '127.0.0.1', '--secret-env', 'ACME_SMTP'],
      /--url: not a URL; write smtp:\/\//,
    ],
    // Without a scheme nothing says where a login ends; the refusal repeats no part of it.
    [
      [...set, 'smtp-relay', '--url', 'ada:secret@127.0.0.1'],
      /^--url: it is not clear where (?!.*(?:ada|secret))/,
    ],
    [
      [...ses.slice(0, -1), 'https://ses.example/path', '--secret-env', 'ACME_SES'],
      /--endpoint: .* without a path/,
    ],
    [
      [...ses, '--secret-env', 'ACME_SES', '--queue-url', 'http://sqs.example/1/x'],
      /--queue-url: expected/,
    ],
  ]
  await Promise.all(
    usage.map(([line, message]) => operator.refused(line, { code: 'usage', exit: 2, message })),
  )
  await operator.refused([...ses, '--secret-env', 'NOT_SET'], {
    code: 'refused',
    exit: 1,
    message: /that --secret-env names is not set/,
  })
})
