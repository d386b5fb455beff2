/**
 * Prints the start for the operator: progress while it takes time, then the addresses, and once the
 * first key.
 */

import { memberLanguages, type Language } from '../ground/texts/languages.ts'
import type { ProviderName } from '../ground/provider-names.ts'
import { providerKinds } from '../providers/registry.ts'

/** An output; `isTTY` where it is a terminal. */
type Terminal = NodeJS.WritableStream & { isTTY?: boolean }

/**
 * Progress on standard error: one changing line on a terminal, plain lines elsewhere. `done` takes
 * the line away.
 */
export function printProgress(stderr?: Terminal): { say(text: string): void; done(): void } {
  const { show, clear, changes } = printMeter(stderr)
  return { say: (text) => show(changes ? `${text}…` : text), done: clear }
}

/** The same for long work, whose text shows how far it is. */
export function printMeter(stderr: Terminal = process.stderr): {
  show(text: string): void
  clear(): void
  changes: boolean
} {
  const changes = stderr.isTTY === true
  const clear = (): void => void (changes && stderr.write('\r\x1b[2K'))
  return {
    show: (text) => void stderr.write(changes ? `\r\x1b[2K${text}` : `${text}\n`),
    clear,
    changes,
  }
}

/** Prints that a process is ready: its address, or its roles when it listens nowhere. */
export function readyLine(roles: readonly string[], address: string | null): string {
  return address === null
    ? `Facteur is ready (${roles.join(', ')}).\n`
    : `Facteur is ready: ${address}\n`
}

/** Printed where programs hand mail in by SMTP; nothing where they cannot. */
export function submissionLine(
  served: { host: string; port: number | null; tlsPort: number | null } | null,
): string {
  if (served === null) return ''
  const { host, port, tlsPort } = served
  const ports = [tlsPort === null ? '' : `${tlsPort} (TLS)`, port === null ? '' : String(port)]
  return `SMTP for programs: ${host}, port ${ports.filter((text) => text !== '').join(' or ')}; user facteur, the password is an API key\n`
}

/**
 * Printed at each start until the link was used: the first one to open it owns the installation's
 * first workspace.
 */
export function setUpLines(url: string): string {
  return `
  Open this to make the first account. It works once, for 24 hours; a new one is printed at each start until then:

    ${url}

`
}

/** The language for callers and readers who ask for none, and its source. */
const languageLine = (language: Language, from: string | null): string =>
  `${englishNames.of(language)}, ${from === null ? 'the default' : `from ${from}`}; FACTEUR_LANGUAGE=${memberLanguages.find((other) => other !== language)} changes it`

const englishNames = new Intl.DisplayNames(['en'], { type: 'language' })

/** Printed at the very first start only, because the database stores only a digest of the key. */
export function firstStartLines(
  baseUrl: string,
  demo: { workspace: string; key: string; sender: string },
  { provider, language, from }: { provider: ProviderName; language: Language; from: string | null },
): string {
  const mail = JSON.stringify({
    from: `Demo <${demo.sender}>`,
    to: 'you@example.com',
    subject: 'Hello',
    text: 'It works.',
  })
  const curl = `curl ${baseUrl}/api/v1/emails -H 'Authorization: Bearer ${demo.key}' -H 'Content-Type: application/json' -d '${mail}'`
  return `
  API            ${baseUrl}/api/v1
  Agents (MCP)   ${baseUrl}/api/mcp
  Reference      ${baseUrl}/docs
  Captured mail  ${baseUrl}/captured
  Language       ${languageLine(language, from)}

  Workspace "${demo.workspace}" with the sender ${demo.sender}. Its API key, shown this once:

    ${demo.key}

  Send a first mail:

    ${curl}

  ${providerKinds[provider].captures ? `It is kept here, nothing leaves this machine: see it on ${baseUrl}/captured` : `It leaves by ${provider}.`}
  Ctrl-C stops everything; the data stays.

`
}
