/** Writes `docs/resend-sdks.md` from what the tests have found. */
import { hintText } from '../../../src/contract/hints.ts'
import { table } from '../../../src/contract/reference/markdown.ts'
import { resendCalls, type ResendCall } from '../../../src/contract/reference/resend-calls.ts'
import type { CallResult, SdkResults } from './results.ts'

/** Languages of sends, and how their programs learn where to call. */
export const languages: Readonly<Record<string, { title: string; address: string }>> = {
  node: { title: 'Node.js', address: '`RESEND_BASE_URL`' },
  python: { title: 'Python', address: '`RESEND_API_URL`' },
  go: { title: 'Go', address: '`RESEND_BASE_URL`, with a slash at the end' },
  php: { title: 'PHP', address: '`RESEND_BASE_URL`' },
  ruby: { title: 'Ruby', address: '`RESEND_BASE_URL`, with a slash at the end' },
  java: { title: 'Java', address: 'An `IHttpClient` of the program' },
  rust: { title: 'Rust', address: '`RESEND_BASE_URL`' },
}

/** A row of the table of calls, by a name of its own. */
export const rowName = ({ call, request }: Pick<ResendCall, 'call' | 'request'>): string =>
  `${call} ${request}`

const steps: readonly [title: string, steps: readonly string[]][] = [
  ['`emails.send`', ['send']],
  ['`batch.send`', ['batch']],
  ['`emails.get`', ['get']],
  ['422', ['bad address', 'other domain', 'suppressed', 'bad batch']],
  ['401', ['wrong key']],
]

const cells: Readonly<Record<CallResult, string>> = {
  compared: '✓',
  refused: 'refused',
  absent: '–',
}

export const sdkPage = (results: SdkResults): string => `# Resend's SDKs, call by call

Tests make each of these calls with the SDK as its registry serves it, and give it our address as [Migrating from Resend](migrating-from-resend.md#the-address-for-each-sdk) says.
They write this page, as [CONTRIBUTING.md](../CONTRIBUTING.md#tests) says.

- **✓**: the answer, as the SDK hands it to its user, was compared with the rows of our database.
- **other**: the path has another answer here, which the last column names; it was compared as such.
- **refused**: the SDK's error was compared with the code and the sentence of its row.
- **–**: this SDK has no such call.
- **not played**: the SDK's registry is not reached by the machine that plays the tests. There, \`sh test/referees/sdks/fetch.sh\` says why, and the tests say \`skipped\`.

## Sends

A mail with every field and two files, compared as it arrived; a batch; a message that is read back. Then the refusals: an address without a domain, a domain that is not verified, a suppressed recipient, a batch with one bad
address (422), and an unknown key (401).

${table(['SDK', 'Version', 'Address', ...steps.map(([title]) => title)], sendRows(results))}

## Every call

Node.js ${results.calls['node']?.version ?? ''}, Python ${results.calls['python']?.version ?? ''}. [The answer of each call](migrating-from-resend.md#the-answer-of-each-call) says what differs where a call is built.

${table(['Call', 'Request', 'Node.js', 'Python', 'Error, or another answer'], callRows(results))}
`

function sendRows({ sends }: SdkResults): string[][] {
  return Object.entries(languages).map(([language, { title, address }]) => {
    const played = sends[language]
    const cellOf = (of: readonly string[]): string =>
      of.every((step) => played?.steps.includes(step)) ? '✓' : 'not played'
    return [title, played?.version ?? '–', address, ...steps.map(([, of]) => cellOf(of))]
  })
}

function callRows({ calls }: SdkResults): string[][] {
  return resendCalls.map((row) => {
    const cellOf = (sdk: string): string => {
      const result = calls[sdk]?.rows[rowName(row)]
      if (row.isOther && result === 'compared') return 'other'
      return result ? cells[result] : 'not played'
    }
    return [
      ...[`\`${row.call}\``, `\`${row.request}\``, cellOf('node'), cellOf('python')],
      errorOf(row),
    ]
  })
}

function errorOf({ status = 404, here = '', isOther, way }: ResendCall): string {
  if (isOther) return here
  if (way) return `${status} \`not_found\`: ${hintText(way, 'en')}`
  return status >= 400 ? `${status}: ${here}` : ''
}
