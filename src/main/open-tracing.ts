/**
 * Sends spans to the operator's collector by OTLP over HTTP. OpenTelemetry is loaded only where the
 * operator names one (docs/decisions/0054-observability.md).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { SpanContext } from '@opentelemetry/api'
import type * as Resources from '@opentelemetry/resources'
import { systemClock, waitAtMost } from '../ground/clock.ts'
import { readVariable } from '../ground/config.ts'
import type { Tracer } from '../core/context.ts'
import type { Log } from '../ground/log.ts'
import { programVersion } from '../ground/program-version.ts'

/** How long a stop waits for the collector, in milliseconds. */
const closeMs = 1_000

export interface OpenTracing {
  tracer: Tracer
  /** Sends the spans that wait. */
  close(): Promise<void>
}

/**
 * `url`: the collector's whole address for traces. Null without one: nothing is loaded, and no call
 * costs more.
 */
export async function openTracing(
  url: string | null,
  log: Pick<Log, 'warn'>,
): Promise<OpenTracing | null> {
  if (url === null) return null
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  // The library reports a collector that does not answer here, and drops what it cannot keep.
  const warn = (message: string): void => log.warn({ message }, 'Spans were not sent')
  const silent = (): void => undefined
  api.diag.setLogger(
    { error: warn, warn, info: silent, debug: silent, verbose: silent },
    api.DiagLogLevel.WARN,
  )
  const exporter = new OTLPTraceExporter({ url })
  const provider = new sdk.TracerProvider({
    resource: describeProcess(resources, log),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  const spans = provider.getTracer('facteur')
  const current = new AsyncLocalStorage<SpanContext>()
  const { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT }

  const tracer: Tracer = {
    async span({ name, kind, parent }, work, describe) {
      const above = current.getStore() ?? (parent === undefined ? null : readTraceParent(parent))
      const context = above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT
      const span = spans.startSpan(name, { kind: kinds[kind] }, context)
      try {
        const result = await current.run(span.spanContext(), work)
        const { isFailed, attributes, name: known } = describe(result)
        if (known !== undefined) span.updateName(known)
        span.setAttributes(attributes)
        if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR })
        return result
      } catch (error) {
        // An error's text may hold an address: its kind is enough.
        span.setStatus({ code: SpanStatusCode.ERROR })
        span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
        throw error
      } finally {
        span.end()
      }
    },
  }
  return {
    tracer,
    async close() {
      const sent = provider.shutdown().then(() => true)
      if ((await waitAtMost(systemClock, closeMs, sent)) === null)
        log.warn({}, 'The last spans were not sent')
    },
  }
}

/**
 * The process as OpenTelemetry's conventions describe it. The operator's `OTEL_RESOURCE_ATTRIBUTES`
 * come before our values, and `OTEL_SERVICE_NAME` before both; the library reads them, and leaves
 * out attributes of a wrong form without a word.
 */
function describeProcess(
  {
    defaultResource,
    detectResources,
    resourceAttributesEnvDetector,
    resourceFromAttributes,
    serviceNameEnvDetector,
  }: typeof Resources,
  log: Pick<Log, 'warn'>,
): Resources.Resource {
  const environment = detectResources({ detectors: [resourceAttributesEnvDetector] })
  if (
    Object.keys(environment.attributes).length === 0 &&
    readVariable('OTEL_RESOURCE_ATTRIBUTES') !== null
  )
    log.warn(
      { expected: 'key=value,key=value' },
      'OTEL_RESOURCE_ATTRIBUTES cannot be read, and is left out',
    )
  const own = {
    'service.name': 'facteur',
    'service.version': programVersion(),
    'service.instance.id': randomUUID(),
  }
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(environment)
    .merge(detectResources({ detectors: [serviceNameEnvDetector] }))
}

/** W3C Trace Context 3.2: version, trace, parent, flags; null for any other text. */
export function readTraceParent(text: string): SpanContext | null {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(text) ?? []
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}
