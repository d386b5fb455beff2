/**
 * Which test files `npm test` plays, and which `npm run test:all` plays: together they are every
 * file once. `npm test` is to take eight minutes on two processors, and plays at least a test of
 * every line of the contract:
 *
 * 1. what docs/proofs.md names, but for its last table, of the pages
 * 2. of the rest no file whose name ends with `.long.test.ts`, and none of the folders below
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Tier = 'quick' | 'rest'

/** Folders of `test:all`, from `test/`, and why. */
const rest: Readonly<Record<string, string>> = {
  'cells/': 'moves of workspaces between cells, while they send',
  'cli/': 'commands, a process each',
  'client/': 'the package of the client, installed elsewhere',
  'database/': 'migrations, cells, copies; what they do for a call is played through the API',
  'db/': 'statements at size; what they answer is played through the API',
  'docs/': 'programs that the documentation names: proxies, containers, checkers of OpenAPI',
  'faults/': 'crashes at many places, and a broken variant for each promise',
  'hosts/': 'hosts in network namespaces that fail',
  'moves/': 'moves of an installation to another database',
  'referees/': 'SDKs and checkers of other projects',
  'stories/': 'journeys through what other tests show alone',
  'start/': 'the program started, ended and killed as a process',
  'upgrades/': 'the previous release beside this one',
  'web/': 'pages in a browser',
  'workers/': 'many workspaces at once',
  'world/': 'mail servers of other projects',
}

/**
 * Files of those folders that `npm test` plays: lines of docs/security-tests.md need them, they keep
 * the documentation true, or they alone make a statement of `src/db/`.
 */
const quick: readonly string[] = [
  'cli/erase-contact.',
  'cli/restore-events.',
  'cli/campaign-commands.',
  'database/transport/backup/hostile-manifest.',
  'db/campaigns/around-a-run.',
  'db/messages/index-while-held.',
  'db/messages/windows-of-the-log.',
  'db/sending/provider-rate-recovers.',
  'db/sending/renewals-under-an-older-fence.',
  'db/sending/what-is-counted-by-domain.',
  'db/sending/what-is-learned-of-destinations.',
  'db/workspaces/what-operators-ask.',
  'docs/configuration.',
  'docs/docs-current.',
  'docs/links.',
  'docs/receivers.',
  'docs/reference.',
  'docs/schema.',
  'referees/resend-broadcast-results.',
  'referees/sdk-matrix.',
  'referees/webhook-signatures.',
  'web/crawl.',
  'web/look-at-mail.',
  'web/webhooks.',
  'web/words.',
]

const root = join(import.meta.dirname, '..')

/** Of docs/proofs.md: the tables whose tests are quick, and the one of the pages. */
export const [quickProofs = '', proofsOfPages = ''] = readFileSync(
  join(root, 'docs/proofs.md'),
  'utf8',
).split(/^(?=## The pages$)/m)

const proofs: ReadonlySet<string> = new Set(quickProofs.match(/test\/[\w./-]+\.test\.ts/g))

/** The test files of a tier, as paths from the root of the project. */
export const filesOf = (tier: Tier): string[] =>
  globSync('test/**/*.test.ts').filter((file) => tierOf(file) === tier)

/** `file` is a path from the root of the project, such as `test/api/send-email.test.ts`. */
export function tierOf(file: string): Tier {
  const beginsWith = (start: string): boolean => file.startsWith(`test/${start}`)
  if (proofs.has(file) || quick.some(beginsWith)) return 'quick'
  return file.endsWith('.long.test.ts') || Object.keys(rest).some(beginsWith) ? 'rest' : 'quick'
}

/** Names of the two lists that no file has. */
export const emptyNames = (files: readonly string[]): string[] =>
  [...Object.keys(rest), ...quick].filter(
    (start) => !files.some((file) => file.startsWith(`test/${start}`)),
  )
