/** Makes calls with Resend's SDK for Python: a process of `calls.py` makes them one by one. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Sdk, SdkAnswer } from './sdk.ts'

/** Parts of the SDK that have a class of their own there. */
const classes: Readonly<Record<string, string>> = {
  'contacts.imports': 'ContactImports',
  'domains.claims': 'DomainClaims',
  'inboxes.agent': 'InboxAgent',
  'inboxes.drafts': 'InboxDrafts',
  'inboxes.labels': 'InboxLabels',
  'inboxes.threads': 'InboxThreads',
  'inboxes.threads.emails': 'InboxThreadEmails',
  'inboxes.threads.labels': 'InboxThreadLabels',
  oauthGrants: 'OAuthGrants',
  'suppressions.batch': 'SuppressionsBatch',
}

/** Calls that stand elsewhere there. */
const renamed: Readonly<Record<string, string>> = {
  'webhooks.events.list': 'Webhooks.list_events',
  'webhooks.events.get': 'Webhooks.get_event',
  'webhooks.events.replay': 'Webhooks.replay_event',
  'webhooks.events.attempts.list': 'Webhooks.list_event_attempts',
}

/** Makes no request. */
const local = new Set(['Webhooks.verify'])

interface Opening {
  version: string
  /** Each name, and the place of its definition: some have two names. */
  calls: [name: string, place: string][]
}

/** `folder`: where `fetch.sh` built it. */
export async function openPythonSdk(folder: string, env: NodeJS.ProcessEnv): Promise<Sdk> {
  const child = spawn('python3', ['calls.py'], {
    cwd: folder,
    env: { ...process.env, ...env, PYTHONPATH: 'packages' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('calls.py ended: its error stands above')
    return JSON.parse(value)
  }
  const { version, calls } = (await next()) as Opening
  const places = new Map(calls)
  return {
    version,
    nameOf: (call) => (places.has(pythonName(call)) ? pythonName(call) : null),
    callsBeside(others) {
      const known = new Set(others.map((call) => places.get(pythonName(call))))
      return calls.flatMap(([name, location]) =>
        known.has(location) || local.has(name) ? [] : [name],
      )
    },
    async make(call, values) {
      const args = values && (values.python ?? values.args.map(inSnakeCase))
      child.stdin.write(`${JSON.stringify({ call: pythonName(call), arguments: args })}\n`)
      return (await next()) as SdkAnswer
    },
    close: () => child.stdin.end(),
  }
}

/** `contacts.topics.update` is `Contacts.Topics.update`. */
function pythonName(call: string): string {
  const steps = call.split('.')
  const part = steps.slice(0, -1)
  const nested = part.map((step) => step.charAt(0).toUpperCase() + step.slice(1)).join('.')
  return renamed[call] ?? `${classes[part.join('.')] ?? nested}.${snakeCase(steps.at(-1) ?? '')}`
}

const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [snakeCase(name), inSnakeCase(inner)]),
  )
}
