/**
 * Nothing above the providers knows their names, and a fifth one is added by the recipe in
 * CONTRIBUTING (A provider).
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { providerNames } from '../../src/ground/provider-names.ts'
import { findProvider, setProvider } from '../../src/core/workspaces/set-provider.ts'
import { localCaptureChoice } from '../../src/providers/local-capture/local-capture-kind.ts'
import { providerKinds } from '../../src/providers/registry.ts'
import { settingNames } from '../../src/ground/config.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { createHttpPost, registerHttpPost } from '../support/http-post-provider.ts'
import { until } from '../support/until.ts'
import { testProvider } from './conformance.ts'

test('every provider of the configuration is registered, and its settings are variables', () => {
  assert.deepEqual(Object.keys(providerKinds).toSorted(), [...providerNames].toSorted())
  const variables = Object.values(providerKinds).flatMap(({ settings, secret }) =>
    [...settings, ...(secret ? [secret] : [])].map(({ variable }) => variable),
  )
  const known = new Set<string>(settingNames)
  assert.deepEqual(
    variables.filter((name) => !known.has(name)),
    [],
  )
})

/** Files above the providers that name one, and why. */
const reasons: Record<string, string> = {
  'src/core/feedback/amazon-ses/': 'its notices: certificates and topics of Amazon SNS',
  'src/entrypoints/inbound/amazon-ses/': 'the address at which Amazon SNS posts them',
  'src/entrypoints/workers/poll-queues.ts': 'the queues of Amazon SQS that hold them',
  'src/entrypoints/workers/give-feedback.ts':
    'the capture mailbox’s own feedback, by the name that is stored with it',
  'src/entrypoints/cli/doctor/delivery/check-mail-ports.ts':
    'its advice names the relay as the other way',
  'src/entrypoints/cli/provider/receivers-command.ts':
    'what our own delivery begins with at large receivers, and what it learned',
  'src/entrypoints/health/ledger-gauges.ts':
    'the destinations of our own delivery that are slowed or left alone',
}

test('nothing in core, db and entry points names a provider without a reason', () => {
  const names = new RegExp(
    [...providerNames, 'amazonSes', 'smtpRelay', 'directMx', 'localCapture'].join('|'),
    'i',
  )
  const matches = globSync('src/{core,db,entrypoints}/**/*.ts').filter((path) =>
    names.test(readFileSync(path, 'utf8')),
  )
  const excused = (path: string) =>
    Object.keys(reasons).find((location) => path.startsWith(location))
  assert.deepEqual(
    matches.filter((path) => !excused(path)),
    [],
  )
  assert.deepEqual(
    Object.keys(reasons).filter((location) => !matches.some((path) => path.startsWith(location))),
    [],
    'a reason for nothing',
  )
})

/**
 * Takes mail: 404 for `nobody@`, 429 for `later@`, and takes those for `silent@` without an answer.
 */
async function startTaker() {
  const taken: string[] = []
  const server = createServer((request, response) => {
    const recipient = String(request.headers['x-recipient'])
    request.resume().on('end', () => {
      if (recipient.startsWith('silent@')) return void taken.push(recipient)
      const status = recipient.startsWith('nobody@')
        ? 404
        : recipient.startsWith('later@')
          ? 429
          : 200
      if (status === 200) taken.push(recipient)
      response.writeHead(status).end('said')
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
    taken,
    stop,
  }
}

testProvider('a fifth provider', async () => {
  const { url, taken, stop } = await startTaker()
  return {
    provider: createHttpPost(url),
    deliveredTo: (recipient) => taken.filter((entry) => entry === recipient).length,
    recipients: {
      accepted: 'ada@example.com',
      hard: 'nobody@example.com',
      deferred: 'later@example.com',
      silent: 'silent@example.com',
    },
    stop,
  }
})

test('a fifth provider: chosen for a workspace by flags, shown, and its mail leaves', async () => {
  const name = registerHttpPost()
  // `provider set` reads the registered providers once, as its module loads.
  const { readStoredProvider, settingFlags, toStored } =
    await import('../../src/entrypoints/cli/provider/read-flags.ts')
  assert.equal(settingFlags['address']?.text, 'http-post: where mail is posted.')
  const { url, taken, stop } = await startTaker()
  after(stop)
  const api = await startApi({ choice: localCaptureChoice })
  const acme = await api.workspace('acme')
  const flags = { type: name, rate: null, 'secret-env': null, 'secret-file': null }
  assert.throws(
    () => toStored({ ...flags, texts: { region: 'eu-west-1' } }),
    /--region is for amazon-ses, not for http-post/,
  )
  assert.throws(
    () => readStoredProvider(toStored({ ...flags, texts: {} }), null),
    /--address: expected an address/,
  )

  const stored = toStored({ ...flags, texts: { address: url } })
  await setProvider(api.service, {
    secrets: api.service.secrets,
    workspaceId: acme.id,
    stored,
    secret: null,
  })
  const own = await findProvider(api.service, acme.id)
  assert.deepEqual(own?.stored, {
    type: 'http-post',
    ratePerSecond: null,
    settings: { address: url },
  })
  await until(() => api.service.providers.of(acme.id).name === name)
  const body = {
    from: `hello@${acme.domain}`,
    to: ['ada@example.com', 'nobody@example.com'],
    subject: 'Bonjour',
    text: 'Bonjour',
  }
  const id = textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: acme.key, body }), 'id')
  const statuses = async (): Promise<string> => {
    const answer = await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: acme.key })
    return JSON.stringify(answer.body)
  }
  await until(async () => /"sent"/.test(await statuses()) && /"bounced"/.test(await statuses()))
  assert.deepEqual(taken, ['ada@example.com'])
})
