/**
 * Traces by OTLP over HTTP, at a real receiver: calls, hand-offs and webhooks as spans, and nothing
 * of what they are about.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { openTracing, readTraceParent } from '../../src/main/open-tracing.ts'
import { freshDatabase } from '../support/database.ts'
import { at } from '../support/json.ts'
import { startProgram } from '../support/service.ts'
import { until } from '../support/until.ts'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status?: { code?: number }
  attributes: { key: string; value: Record<string, unknown> }[]
}

const received: string[] = []
/** What came at the whole address of another collector. */
const receivedWhole: string[] = []
let hooks = 0
const spans = (): Span[] =>
  received.flatMap((text) => {
    const resources = at(JSON.parse(text), 'resourceSpans') as { scopeSpans: { spans: Span[] }[] }[]
    return resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: each }) => each))
  })
/** It collects traces, and is the receiver of a webhook. */
const collector = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  request.on('end', () => {
    if (request.url === '/v1/traces') received.push(text)
    else if (request.url === '/whole') receivedWhole.push(text)
    else hooks++
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
after(() => collector.close())
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`

/** The attributes of the process that sent a request. */
const processIn = (text: string | undefined): Record<string, unknown> => {
  const attributes = at(
    JSON.parse(text ?? '{}'),
    'resourceSpans',
    '0',
    'resource',
    'attributes',
  ) as Span['attributes']
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

const attribute = ({ attributes }: Span, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

test('a call continues the trace of its caller; hand-offs and webhooks are spans; no address, text or key leaves', async (t) => {
  const { url } = await freshDatabase(t)
  const masterKey = Buffer.alloc(32, 3).toString('base64')
  const env = {
    ...{ DATABASE_URL: url, FACTEUR_MASTER_KEY: masterKey, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    ...{
      OTEL_SERVICE_NAME: 'mail',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,service.namespace=caf%C3%A9',
    },
  }
  const service = await startProgram(t, { env })
  await service.saying('"msg":"ready"')
  const key = /^ +(fct_live_\S+)$/m.exec(service.output())?.[1] ?? ''
  const [traceId, parentId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const call = (path: string, body: object): Promise<Response> =>
    fetch(`http://127.0.0.1:${service.port}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${parentId}-01`,
      },
      body: JSON.stringify(body),
    })
  assert.equal(
    (await call('/api/v1/webhooks', { url: `${endpoint}/hidden-hook`, events: ['email.sent'] }))
      .status,
    201,
  )
  const email = {
    from: 'hello@demo.test',
    to: 'hidden@example.com',
    subject: 'hidden',
    text: 'hidden',
  }
  const sent = await call('/api/v1/emails', email)
  assert.equal(sent.status, 202)
  assert.equal((await call('/api/v1/emails', { ...email, to: 'hidden' })).status, 422)
  const tool = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_account', arguments: {} },
  }
  assert.equal((await call('/api/mcp', tool)).status, 200)
  const named = (name: string): Span[] => spans().filter((span) => span.name === name)
  await until(() => hooks > 0)
  service.child.kill('SIGTERM')
  await service.ended

  const [accepted, refused] = named('sendEmail')
  assert.ok(accepted && refused)
  assert.deepEqual([accepted.traceId, accepted.parentSpanId], [traceId, parentId])
  assert.equal(attribute(accepted, 'facteur.operation'), 'sendEmail')
  assert.equal(Number(attribute(accepted, 'http.response.status_code')), 202)
  assert.equal(attribute(accepted, 'facteur.request_id'), sent.headers.get('x-request-id'))
  assert.equal(attribute(refused, 'facteur.code'), 'validation_error')
  assert.equal(named('getAccount').length, 1)
  assert.partialDeepStrictEqual(
    named('hand off').map((span) => [
      attribute(span, 'facteur.provider'),
      attribute(span, 'facteur.outcome'),
    ]),
    [['local-capture', 'sent']],
  )
  assert.equal(attribute(named('webhook')[0] as Span, 'facteur.outcome'), 'delivered')
  const described = processIn(received[0])
  assert.partialDeepStrictEqual(described, {
    'service.name': 'mail',
    'service.namespace': 'café',
    'service.version': version,
  })
  assert.match(String(described['service.instance.id']), /^[\da-f]{8}-/)
  for (const secret of ['hidden', 'example.com', key, key.slice(-12)])
    assert.equal(received.join('\n').includes(secret), false, `a span has ${secret}`)
})

test('without a collector OpenTelemetry is not loaded; with one it is', async () => {
  const loaded: string[] = []
  const watch = registerHooks({
    resolve(name, context, next) {
      if (name.startsWith('@opentelemetry/')) loaded.push(name)
      return next(name, context)
    },
  })
  const log = { warn: () => undefined }
  assert.equal(await openTracing(null, log), null)
  assert.equal(loaded.length, 0)
  const tracing = await openTracing(`${endpoint}/whole`, log)
  assert.ok(loaded.includes('@opentelemetry/sdk-trace'))
  await tracing?.close()
  watch.deregister()
})

test('a whole address is used as it is; attributes of a wrong form are reported and left out', async (t) => {
  const warned: string[] = []
  process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'no pair'
  t.after(() => delete process.env['OTEL_RESOURCE_ATTRIBUTES'])
  const tracing = await openTracing(`${endpoint}/whole`, {
    warn: (_, message) => void warned.push(message),
  })
  await tracing?.tracer.span(
    { name: 'one', kind: 'server' },
    () => Promise.resolve(null),
    () => ({ isFailed: false, attributes: {} }),
  )
  await tracing?.close()
  const described = processIn(receivedWhole[0])
  assert.partialDeepStrictEqual(described, {
    'service.name': 'facteur',
    'service.version': version,
  })
  assert.ok(warned.includes('OTEL_RESOURCE_ATTRIBUTES cannot be read, and is left out'))
})

test('a collector that is away costs no call and no stop: the log says so', async (t) => {
  const { url } = await freshDatabase(t)
  const masterKey = Buffer.alloc(32, 3).toString('base64')
  const env = {
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: masterKey,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  }
  const service = await startProgram(t, { env })
  await service.saying('"msg":"ready"')
  assert.equal((await fetch(`http://127.0.0.1:${service.port}/api/v1`)).status, 200)
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.match(service.output(), /spans were not sent[^]*"msg":"stopped"/i)
})

test('traceparent: the form of W3C Trace Context alone', () => {
  const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  assert.deepEqual(readTraceParent(`00-${trace}-${parent}-01`), {
    traceId: trace,
    spanId: parent,
    traceFlags: 1,
    isRemote: true,
  })
  assert.equal(readTraceParent(`cc-${trace}-${parent}-00-later`)?.traceFlags, 0)
  for (const wrong of [
    '',
    trace,
    `ff-${trace}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${parent}-01`,
  ])
    assert.equal(readTraceParent(wrong), null, wrong)
})
