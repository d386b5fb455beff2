/** Reads from the unmodified SDK of Resend which calls it has, and the request that each makes. */
import { createServer } from 'node:http'
import { Resend } from 'resend'

export interface SdkCall {
  /** As its users write it: `contacts.create`. */
  call: string
  /** `POST /contacts`; parameters of the path are `{id}`. Null means it makes no request. */
  request: string | null
}

/** What parameters of paths are given as, so that the request that arrives shows their places. */
const mark = 'sdk-call-mark'
/** Every name that some call takes an identifier by; as an identifier itself, it is the mark. */
const anything = {
  ...Object.fromEntries(
    `id email contactId emailId automationId runId domainId webhookId eventId inboxId draftId labelId threadId inbox`
      .split(' ')
      .map((name) => [name, mark]),
  ),
  ...{ steps: [], connections: [], toString: () => mark },
}
/** Some calls take another path with one of these. */
const within = { ...anything, audienceId: mark, segmentId: mark }

/** Methods that the types of the SDK hide, or that make no request. */
const helpers = new Set([
  ...['contacts.imports.buildCreateFormData', 'contacts.imports.buildColumnMap'],
  ...['contacts.imports.appendField', 'emails.receiving.forwardPassthrough'],
  ...['emails.receiving.forwardWrapped', 'emails.receiving.downloadRaw'],
  ...['templates.performCreate', 'webhooks.verify'],
])

/** The calls of every part of the SDK, in its order, each with the requests that it can make. */
export async function readSdkCalls(): Promise<SdkCall[]> {
  const arrived: string[] = []
  const recorder = createServer(({ method, url = '' }, response) => {
    arrived.push(`${method} ${(url.split('?')[0] ?? '').replaceAll(mark, '{id}')}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
  const bound = recorder.address()
  const port = typeof bound === 'object' ? bound?.port : 0
  const resend = new Resend('re_test', { baseUrl: `http://127.0.0.1:${port}` })
  const matches: SdkCall[] = []
  for (const { call, run } of callsOf(resend)) {
    if (helpers.has(call)) continue
    arrived.length = 0
    for (const args of call.startsWith('batch.') ? [[anything]] : [anything, within]) {
      const before = arrived.length
      await run([args, anything])
      // A call that forwards a mail reads it first.
      arrived.splice(before + 1)
    }
    if (arrived.length === 0) await run([])
    const whole = arrived.filter((request) => !request.includes('undefined'))
    for (const request of new Set(whole)) matches.push({ call, request })
    if (whole.length === 0) matches.push({ call, request: null })
  }
  recorder.close().closeAllConnections()
  return matches
}

/** The only parts of the client that are no calls of the API. */
const ofClient = new Set(['fetchRequest', 'post', 'get', 'put', 'patch', 'delete', 'logError'])

function callsOf(
  part: object,
  name = '',
): { call: string; run(args: unknown[]): Promise<unknown> }[] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(part)).flatMap((method) => {
    const work: unknown = Reflect.get(part, method)
    if (method === 'constructor' || typeof work !== 'function') return []
    if (name === '' && ofClient.has(method)) return []
    const run = async (args: unknown[]): Promise<unknown> => {
      try {
        return await Reflect.apply(work, part, args)
      } catch {
        // A call that fails at the answer of the recorder has made its request.
        return null
      }
    }
    return [{ call: `${name}${method}`, run }]
  })
  const inner = Object.entries(part).flatMap(([key, value]) =>
    isPart(value) ? callsOf(value, `${name}${key}.`) : [],
  )
  return [...own, ...inner]
}

/** A namespace of the SDK has a class of its own; its client is in each of them. */
const isPart = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) !== Object.prototype &&
  !(value instanceof Resend) &&
  !(value instanceof Headers) &&
  !Array.isArray(value)
