/**
 * Which test files `npm test` plays, and which `npm run test:all` plays: together they are every file once. `npm test` is to take
 * eight minutes on two processors. So it leaves out what starts clusters, hosts, browsers or many processes, unless a line of
 * docs/proofs.md needs it (test/proofs.test.ts).
 */
import { globSync } from 'node:fs'

export type Tier = 'quick' | 'rest'

/** Folders and files of `test:all`, from `test/`, and why. The longest name that a path begins with decides. */
const rest: Readonly<Record<string, string>> = {
  'cli/cell-commands': 'commands that copy and move cells',
  'cli/restore.': 'a restore after a crash, with a campaign',
  'cli/restore-events': 'a restore, once for each kind of event',
  'cells/': 'moves of workspaces between cells, while they send',
  'db/blocks-at-two-sizes': 'installations of two sizes',
  'db/connection/planner-statistics': 'a large installation',
  'db/query-plans': 'an installation of 50,000 rows',
  'db/sending/held-horizon': 'blocks that are read over many rounds',
  'docs/': 'programs that the documentation names: proxies, containers, checkers of OpenAPI',
  'faults/': 'crashes at many places, and a broken variant for each promise',
  'hosts/': 'hosts in network namespaces that fail',
  'moves/': 'moves of an installation to another database',
  'referees/': 'SDKs and checkers of other projects',
  'stories/': 'journeys through what other tests show alone',
  'start/': 'the program started, ended and killed as a process',
  'upgrades/': 'the previous release beside this one',
  'web/': 'pages in a browser',
  'world/': 'mail servers of other projects',
}

/** What `npm test` plays of those: one crash of each ledger, the start, and what docs/proofs.md names. */
const quick: readonly string[] = [
  'docs/commands.',
  'docs/compliance.',
  'docs/configuration.',
  'docs/docs-current.',
  'docs/examples.',
  'docs/links.',
  'docs/openapi.',
  'docs/receivers.',
  'docs/reference.',
  'faults/one-key.test',
  'faults/campaign-worker-killed.test',
  'faults/webhook-delivered.test',
  'faults/guards.',
  'start/build.',
  'start/crashes.',
  'start/passwords-are-not-shown.',
  'start/refusals.',
  'start/start-and-stop.',
  'web/captured.',
  'web/crawl.',
  'web/docs.',
  'web/emails.',
  'web/webhooks.',
  'web/words.',
  'referees/resend.',
  'referees/webhook-signatures.',
]

/** The test files of a tier, as paths from the root of the project. */
export const filesOf = (tier: Tier): string[] => globSync('test/**/*.test.ts').filter((file) => tierOf(file) === tier)

/** `file` is a path from the root of the project, such as `test/api/send-email.test.ts`. */
export function tierOf(file: string): Tier {
  const name = file.replace(/^test\//, '')
  const longest = (names: readonly string[]): number =>
    Math.max(0, ...names.filter((start) => name.startsWith(start)).map(({ length }) => length))
  return longest(Object.keys(rest)) > longest(quick) ? 'rest' : 'quick'
}

/** Names of the two lists that no file has. */
export const emptyNames = (files: readonly string[]): string[] =>
  [...Object.keys(rest), ...quick].filter((start) => !files.some((file) => file.startsWith(`test/${start}`)))
