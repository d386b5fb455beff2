/**
 * The rules of ARCHITECTURE.md, checked against each file's path, imports and text. One function a
 * rule; each returns what is wrong.
 */
import { dirname, join, normalize } from 'node:path'
import { retiredPhrases, wordsOf } from './retired-words.ts'

export interface SourceFile {
  /** From the root of the project, such as `src/core/context.ts`. */
  path: string
  text: string
}

/** Highest first. A file imports from its own layer and those below. */
const layers: [number, RegExp][] = [
  [8, /^src\/main(\.ts|\/)/],
  [7, /^src\/entrypoints\//],
  [6, /^src\/core\//],
  [5, /^src\/providers\//],
  [4, /^src\/(db|mail)\//],
  [3, /^src\/contract\//],
  [2, /^src\/database\//],
  [1, /^src\/ground\//],
]

const layerOf = (path: string): number | undefined =>
  layers.find(([, pattern]) => pattern.test(path))?.[0]

/**
 * The order inside `src/core/`, highest first. Modules of one line do not import each other. The
 * line `nouns` holds every module that no other line names; `ground` holds the files of `src/core/`
 * itself.
 */
export const coreOrder = [
  ['dispatch'],
  ['nouns'],
  ['refusals'],
  ['audience', 'identity', 'compliance'],
  ['message-index'],
  ['domain-records'],
  ['feedback'],
  ['domain-reports'],
  ['sending'],
  ['reputation'],
  ['notices'],
  ['suppression'],
  ['events'],
  ['audit', 'approvals'],
  ['presentation', 'files'],
  ['input'],
  ['ground'],
]

function coreModuleOf(path: string): { name: string; line: number } | undefined {
  const [, name] = /^src\/core\/(?:([^/]+)\/)?/.exec(path) ?? []
  if (!path.startsWith('src/core/')) return undefined
  const module = name ?? 'ground'
  const line = coreOrder.findIndex((names) => names.includes(module))
  return {
    name: module,
    line: line >= 0 ? line : coreOrder.findIndex(([first]) => first === 'nouns'),
  }
}

/**
 * Inside `src/core/`, imports go down only, and two modules of one line know nothing of each other.
 */
export function coreImportsGoDown(file: SourceFile): string[] {
  const from = coreModuleOf(file.path)
  if (!from) return []
  return importsOf(file).flatMap((target) => {
    const to = coreModuleOf(target)
    if (!to || to.name === from.name || to.line > from.line) return []
    return [`${file.path} (${from.name}) imports ${target} (${to.name})`]
  })
}

const retiredPhrase = new RegExp(
  `(?:^|[^a-z])(?:${Object.keys(retiredPhrases).join('|')})(?=$|[^a-z])`,
)

/**
 * Paths, also of tests; exported names, log messages and the parts of statements (`with … as (`) of
 * the program.
 */
export function namesUseTheGlossary(file: SourceFile): string[] {
  if (!/^(?:src|web\/src|test)\//.test(file.path)) return []
  const path = file.path.replace(/\.\w+$/, '')
  const isOurs = /^(?:src|web\/src)\//.test(file.path)
  const names = isOurs
    ? [path, ...exportedNames(file), ...logMessages(file), ...queryNames(file)]
    : [path]
  return names.flatMap((name) => {
    const retired = retiredPhrase.exec(wordsOf(name))
    return retired ? [`${file.path}: ${name} holds the retired word "${retired[0].trim()}"`] : []
  })
}

const logMessages = (file: SourceFile): string[] => {
  const code = withoutComments(file)
  return [...code.matchAll(/\blog\.(?:debug|info|warn|error|fatal)\(/g)].flatMap(
    ({ 0: start, index }) =>
      parametersFrom(code.slice(index + start.length)).filter((parameter) =>
        /^['"`]/.test(parameter),
      ),
  )
}

function queryNames(file: SourceFile): string[] {
  if (!mayContainSql(file.path)) return []
  const starts =
    /(?:\bwith (?:recursive )?|\), *)(\w+)(?: *\([^()]*\))? as (?:(?:not )?materialized )?\(/gi
  return [...withoutComments(file).matchAll(starts)].map(([, name = '']) => name)
}

/**
 * Names that a file declares and exports, in a list too; what it only passes on is another file's.
 */
function exportedNames(file: SourceFile): string[] {
  const code = withoutComments(file)
  const declaration =
    /^export (?:declare )?(?:default )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) +([A-Za-z_$][\w$]*)/gm
  const list =
    /^export (?:type )?\{([^}]*)\}(?!\s*from\b)|^export (?:const|let) (?:\{([^=]*)\}|\[([^=]*)\]) *=/gm
  const declared = [...code.matchAll(declaration)].map(([, name = '']) => name)
  const listed = [...code.matchAll(list)].flatMap(([, ...parts]) => parts.join('').split(','))
  const exported = listed
    .map((name) => name.replace(/^.*(?:\bas\s|:|\.\.\.)/s, '').trim())
    .filter(Boolean)
  const imports = [...code.matchAll(/^import ([^'"]*?)\bfrom\b/gm)]
  const imported = new Set(imports.flatMap(([, names = '']) => names.match(/[\w$]+/g) ?? []))
  return [...new Set([...declared, ...exported.filter((name) => !imported.has(name))])]
}

/**
 * A search for an exported name finds one declaration. The service and the pages are two programs.
 */
export function namesAreExportedOnce(files: SourceFile[]): string[] {
  const places = new Map<string, string[]>()
  for (const file of files)
    for (const name of exportedNames(file)) {
      const key = `${file.path.split('/')[0] ?? ''} ${name}`
      places.set(key, [...(places.get(key) ?? []), file.path])
    }
  return [...places].flatMap(([key, paths]) =>
    paths.length > 1 ? [`${key}: ${paths.join(', ')}`] : [],
  )
}

/** The files that a file imports by a relative path, types included. */
export function importsOf(file: SourceFile): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\1/g
  return [...withoutComments(file).matchAll(pattern)].map((match) =>
    normalize(join(dirname(file.path), match[2] ?? '')),
  )
}

export function importsGoDown(file: SourceFile): string[] {
  const layer = layerOf(file.path)
  if (layer === undefined) return []
  return importsOf(file).flatMap((target) => {
    const below = layerOf(target)
    if (below === undefined) return [`${file.path} imports ${target}, which is outside src`]
    return below > layer ? [`${file.path} (layer ${layer}) imports ${target} (layer ${below})`] : []
  })
}

/**
 * db and mail share a layer and know nothing of each other: SQL here, pure mail functions there.
 * Mail and the contract do without PostgreSQL.
 */
export function databaseAndMailAreApart(file: SourceFile): string[] {
  const other = file.path.startsWith('src/db/')
    ? /^src\/mail\//
    : /^src\/(?:mail|contract)\//.test(file.path)
      ? /^src\/(?:db|database)\//
      : null
  return other
    ? importsOf(file).flatMap((target) =>
        other.test(target) ? [`${file.path} imports ${target}`] : [],
      )
    : []
}

/** The ways in are thin and never call one another. */
export function entrypointsAreApart(file: SourceFile): string[] {
  const entryPoint = entryPointOf(file.path)
  if (entryPoint === undefined) return []
  return importsOf(file).flatMap((target) => {
    const other = entryPointOf(target)
    return other !== undefined && other !== entryPoint ? [`${file.path} imports ${target}`] : []
  })
}

/**
 * The pages of the workspace run in browsers: of the service they know the types of its contract,
 * and nothing that would run.
 */
export function pagesTakeTypesAlone(file: SourceFile): string[] {
  if (!file.path.startsWith('web/src/')) return []
  const statements = withoutComments(file).matchAll(
    /\b(import|export)\s(?!\s*\()([^;'"]*?)\bfrom\s*['"](\.{1,2}\/[^'"]+)['"]/g,
  )
  return [...statements].flatMap(([, , names = '', target = '']) => {
    const path = normalize(join(dirname(file.path), target))
    if (path.startsWith('web/src/')) return []
    return path.startsWith('src/contract/') && names.startsWith('type ')
      ? []
      : [`${file.path} imports ${path}`]
  })
}

/** A sign-in has no session to lose; the saver of drafts keeps what it could not save. */
const callsByItself = new Set([
  'web/src/pages/users/ConfirmIdentity.tsx',
  'web/src/pages/users/SignInForm.tsx',
  'web/src/pages/users/use-passkey.ts',
  'web/src/pages/campaigns/editor/use-draft-saver.ts',
])

/**
 * Pages and their dialogs read by `useAsk` and change by `useAct`, which lead to the sign-in when a
 * session has ended.
 */
export function pagesCallByHooks(file: SourceFile): string[] {
  if (!/^web\/src\/(?:pages|parts|layout)\//.test(file.path) || callsByItself.has(file.path))
    return []
  const imports = withoutComments(file).matchAll(
    /\bimport\s+\{([^}]*)\}\s*from\s*'[^']*\/api\/client\.ts'/g,
  )
  const names = [...imports].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim().split(/\s/)[0] ?? ''),
  )
  return names.some((name) => name === 'api' || name === 'apiOf')
    ? [`${file.path} calls the service by itself`]
    : []
}

/** The contract has the limit of an input, or it is named where it has none. */
export function pagesTypeNoLimits(file: SourceFile): string[] {
  return file.path.startsWith('web/src/') && /\bmaxLength=\{\d/.test(withoutComments(file))
    ? [`${file.path} has a limit as a number`]
    : []
}

/**
 * `i18n.language` is a locale, such as fr-FR, for dates and numbers: the language of the texts is
 * `languageNow()`.
 */
export function pagesCompareNoLocale(file: SourceFile): string[] {
  const compares = /\bi18n(?:ext)?\.language\s*[!=]==/.test(withoutComments(file))
  return file.path.startsWith('web/src/') && compares
    ? [`${file.path} takes a locale for a language`]
    : []
}

/** A date is written by one function, which knows what browsers do not. A zone's name is no date. */
export function pagesWriteDatesAlike(file: SourceFile): string[] {
  const writes = /toLocale(?:Date|Time)String\(|DateTimeFormat\((?!\)\.resolvedOptions)/
  return file.path.startsWith('web/src/') &&
    file.path !== 'web/src/say-date.ts' &&
    writes.test(withoutComments(file))
    ? [`${file.path} writes a date by itself`]
    : []
}

const entryPointOf = (path: string): string | undefined =>
  /^src\/entrypoints\/([^/]+)/.exec(path)?.[1]

/**
 * The path of the first circle of each file that is part of one; types count, because a newcomer
 * reads them too.
 */
export function importsFormNoCircle(files: SourceFile[]): string[] {
  return circlesOf(new Map(files.map((file) => [file.path, importsOf(file)])))
}

/** The folders in which each folder knows only those below it. */
const folderOf = (path: string): string | undefined =>
  /^(?:src\/(?:db|mail|core|database(?:\/transport)?)|web\/src)\/[^/]+(?=\/)/.exec(path)?.[0]

/**
 * The first circle of each folder that is part of one. Each of them knows its own folders only.
 */
export function foldersFormNoCircle(files: SourceFile[]): string[] {
  const imports = new Map<string, string[]>()
  for (const file of files) {
    const from = folderOf(file.path)
    if (from === undefined) continue
    const targets = importsOf(file).flatMap((target) => folderOf(target) ?? [])
    const others = targets.filter((to) => to !== from && dirname(to) === dirname(from))
    imports.set(from, [...new Set([...(imports.get(from) ?? []), ...others])])
  }
  return circlesOf(imports)
}

function circlesOf(imports: Map<string, string[]>): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const open = (path: string, way: string[]): void => {
    const at = way.indexOf(path)
    if (at >= 0) circles.push([...way.slice(at), path].join(' → '))
    if (at >= 0 || done.has(path)) return
    for (const target of imports.get(path) ?? []) open(target, [...way, path])
    done.add(path)
  }
  for (const path of imports.keys()) open(path, [])
  return circles
}

/** Test files that may let time pass or hold it against something, and why. */
const mayMindTheTime: Record<string, string> = {
  'test/support/until.ts': 'the one wait for a condition',
  'test/support/fault-draw.ts': 'the moment of a fault is drawn: it is what a scenario varies',
  'test/support/fault-calls.ts': "the pace of a scenario's clients",
  'test/support/callers.ts': 'prints how long the longest call of a move took',
  'test/support/scripted-peer.ts': 'a peer that answers late, where a test asks for it',
  'test/support/dns-server.ts': 'a name server whose true answer comes after the forged ones',
  'test/support/aws-stand-in.ts': 'a server that holds calls, as SQS does',
  'test/support/linear.ts': 'work against its length, by time on a processor',
  'test/inbound/quietly.ts': 'work of the event loop at a stretch, by time on a processor',
  'test/world/greylist.ts': 'a greylist, which refuses who comes again too soon',
  'test/support/smtp-sink.ts': 'the yardstick of a bench',
  'test/check.ts': 'prints how long each tool took',
  'test/repeat.ts': 'prints how long each run took',
  'test/support/batches.ts': 'writes how long each file took, where that is asked for',
  'test/faults/sweep-scenarios.ts': 'prints how long the sweep took',
  'test/hosts/sweep-hosts.ts': 'the pace of a sweep, and a world that hangs',
  'test/workers/who-claims-how-much.test.ts':
    'how often a workspace failed, against the time that it had for it',
  'test/architecture.test.ts': 'holds what breaks the rule, as text',
}

/**
 * Tests wait for a condition or move a clock. A fixed sleep is too short on one machine and lost on
 * another; so is a bound on time.
 */
export function testsWaitForConditions(file: SourceFile): string[] {
  if (!file.path.startsWith('test/') || file.path in mayMindTheTime) return []
  const code = withoutComments(file)
  const sleep =
    /\.sleep\(|\bsetTimeout\(|\bsetTimeout\b.*timers\/promises|\bwaitForTimeout\(|(?<!signal: )\bAbortSignal\.timeout\(/
  const bound =
    /\bperformance\.now\(|\bDate\.now\(\) *(?:- *\w+ *)?[<>]|(?:[^=]>|<)=? *Date\.now\(|\bmonotonicMs\(\) *-|\bprocess\.hrtime|\bMath\.abs\(.*\bDate\.now\(/
  // A busy machine gives a process less of its processors, and a test less within its time.
  const share = /\b(?:thread)?[cC]puUsage\(|\bresourceUsage\(|\bmonitorEventLoopDelay\b/
  const limit = /\btest\(.*\{[^}]*\btimeout: \d|^ +\{ timeout: [\d_]+ \},$/m
  const patterns = [
    sleep,
    bound,
    share,
    ...(/^test\/(?:docs|referees|world)\//.test(file.path) ? [] : [limit]),
  ]
  return patterns.flatMap((pattern) => {
    const [match] = pattern.exec(code) ?? []
    return match === undefined
      ? []
      : [`${file.path} sleeps or measures (${match}): use test/support/until.ts, or move a clock`]
  })
}

/** Tests of core that call statements of src/db themselves, and why no verb does. */
const mayCallStatements: Record<string, string> = {
  'audience/consent.test.ts':
    "asks as a form's worker does, in the same transaction as the row that it locks",
  'campaigns/change-schedule-duplicate-archive.test.ts':
    'a change that comes while another is validated; a copy is compared whole',
  'campaigns/sent-once-to-the-frozen-list.test.ts':
    'a suppression whose subscriber is not moved yet',
  'campaigns/what-stops-and-starts-a-campaign.test.ts': 'what workers read of a campaign',
  'emails/scheduling.test.ts': 'asks which workspaces are due, as workers do',
  'feedback/any-order-of-feedback.test.ts': 'a recount has to change nothing',
  'feedback/campaign-feedback.test.ts': 'sets when silence counts, as the end of a hand-over does',
  'postmaster/gmail-suspends.test.ts':
    "the operator's settings, which have no verb beside the command",
  'reputation/limits-of-bounces-and-complaints.test.ts':
    "the operator's settings, which have no verb beside the command",
  'reputation/suspension-is-announced-once.test.ts':
    "the operator's settings, which have no verb beside the command",
  'sending/due-mail-to-suppressed-addresses.test.ts': 'a suppression that stopped no mail yet',
  'sending/mail-in-doubt.test.ts': 'a claim whose worker is lost',
  'sending/provider-pace.long.test.ts': 'what a process may send now, of the row that all share',
  'sending/quota.test.ts': 'where the quota was debited, as the index of messages asks',
  'sending/warm-up.long.test.ts': "the operator's settings, which have no verb beside the command",
  'tracking/opens-and-clicks.test.ts': 'a recount has to change nothing',
}

/**
 * Tests of core ask through verbs and look at rows with `sql`; a statement of src/db that is the
 * subject has its test in test/db.
 */
export function coreTestsAskVerbs(file: SourceFile): string[] {
  const [, name] = /^test\/core\/(.*)$/.exec(file.path) ?? []
  if (name === undefined || name in mayCallStatements) return []
  const statements = /^import \{[^}]*\} from '(?:\.\.\/)+src\/db\/[^']*'/m.exec(file.text)
  return statements
    ? [`${file.path} calls statements (${statements[0]}): ask a verb, or move it to test/db`]
    : []
}

const mayContainSql = (path: string): boolean => /^src\/(?:db|database)\//.test(path)

/** Statements stand in src/db and src/database only. */
export function sqlStaysInDb(file: SourceFile): string[] {
  if (!file.path.startsWith('src/') || mayContainSql(file.path)) return []
  const code = withoutComments(file)
  const isStatement =
    /\bsql`|[`'"]\s*(?:select\s.+\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\()/is
  return isStatement.test(code) ? [`${file.path} holds SQL`] : []
}

/**
 * The tables of PostgreSQL's own layer: where workspaces are, what the schema has, and how far
 * copies and moves are.
 */
const ofTheLayer = new Set([
  ...['cell', 'workspace', 'installation', 'schema_migration', 'compatible_migration'],
  ...['database_identity', 'database_copy', 'database_copy_process', 'backup_state'],
  ...['workspace_move', 'move_gate', 'move_change', 'partition_upkeep'],
])

/**
 * `src/database/` could be another project's: but for the data of `schema/`, it names no table of
 * the product. `tables` are those of `src/database/schema/schema.sql`.
 */
export function databaseNamesNoProduct(file: SourceFile, tables: ReadonlySet<string>): string[] {
  if (!/^src\/database\/(?!schema\/)/.test(file.path)) return []
  const code = withoutComments(file)
  const inStatements = code.matchAll(
    /\b(?:from|join|into|update|table|only|truncate)\s+(?:\$\{home\}|\$\{schema\}\.|public\.)?(\w+)/g,
  )
  const names = [...inStatements, ...code.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)
  return [...new Set(names)].flatMap((name) =>
    tables.has(name) && !ofTheLayer.has(name) ? [`${file.path} names the table ${name}`] : [],
  )
}

/**
 * Below what starts and operates the service, these alone know where workspaces live, how they move
 * and how an installation is copied: what a restore withholds, and one file each that chooses the
 * database of a workspace, stores it, and reports state.
 */
const mayNameCells = new RegExp(
  `^src/(?:${[
    'entrypoints/(?:cli|health|workers)/|core/restore/|db/restore/',
    String.raw`core/databases\.ts|db/workspaces/workspaces\.ts|core/workspaces/get-installation\.ts`,
  ].join('|')})`,
)

/** `changeStatus` and a copy of a mail are other words. */
const namesOfCells = new RegExp(
  [
    String.raw`(?<!\btable )\bcells?\b|^moving$|\bby move\b|\bmove gate\b`,
    String.raw`\b(?:workspace|installation|database) (?:moves?|copy|copies)\b`,
  ].join('|'),
)

/** To verbs, rooms, providers and the ways in, a workspace has a database and is always there. */
export function fewNameCells(file: SourceFile): string[] {
  if (!/^src\/(?:core|db|providers|entrypoints)\//.test(file.path) || mayNameCells.test(file.path))
    return []
  const imported = importsOf(file).filter((target) =>
    /^src\/database\/(?:cells|transport)\//.test(target),
  )
  // Reasons on wires and texts for operators have the word; statements must not.
  const code = withoutComments(file)
    .replace(/(?<!\b(?:sql|fragment|part))`(?:[^`\\]|\\.)*`/g, (text) =>
      (text.match(/\$\{[^}]*\}/g) ?? []).join(),
    )
    .replace(/'(?:[^'\\\n]|\\.)*'/g, '')
  const names = (code.match(/[\w$]+/g) ?? []).filter((name) => namesOfCells.test(wordsOf(name)))
  return [...new Set([...imported, ...names])].map((name) => `${file.path} names ${name}`)
}

export function environmentIsReadInConfig(file: SourceFile): string[] {
  if (!file.path.startsWith('src/') || file.path === 'src/ground/config.ts') return []
  return /\bprocess\s*(?:\.\s*env\b|\[\s*['"]env)|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/.test(
    withoutComments(file),
  )
    ? [`${file.path} reads process.env`]
    : []
}

/**
 * `new Date(value)` reads a time that is given; `new Date()` and `Date.now()` ask for it, which is
 * the clock's.
 */
export function timeIsAskedOfTheClock(file: SourceFile): string[] {
  if (!file.path.startsWith('src/') || file.path === 'src/ground/clock.ts') return []
  return /\bnew\s+Date\s*(?:\(\s*\)|$|[^\s(])|\bDate\s*\.\s*now\b|(?<!new\s+)\bDate\(\s*\)/m.test(
    withoutComments(file),
  )
    ? [`${file.path} asks the system for the time`]
    : []
}

/**
 * The database's time is facteur_now(), which tests can move. Its definition is the one place that
 * may ask PostgreSQL.
 */
export function sqlAsksFacteurNow(file: SourceFile): string[] {
  if (!isSqlFile(file.path)) return []
  const code = withoutComments(file).replace(
    /create (?:or replace )?function facteur_now\(\)[\s\S]*?;/i,
    '',
  )
  const call =
    /(?<![\w.])(?:now|clock_timestamp|transaction_timestamp|statement_timestamp|timeofday)\s*\(\s*\)/i
  const word = /\b(?:current_timestamp|current_date|current_time|localtimestamp|localtime)\b/i
  const result = asksPostgres.has(file.path)
    ? null
    : (call.exec(sqlOf(file.path, code)) ?? word.exec(sqlOf(file.path, code)))
  return result ? [`${file.path} asks PostgreSQL for the time (${result[0]})`] : []
}

/**
 * PostgreSQL's `text || anynonarray` is not immutable, and Citus writes a broken statement for a
 * node where an aggregate or a union stands above it.
 */
export function numbersAreJoinedAsText({ path, text }: SourceFile): string[] {
  if (!mayContainSql(path)) return []
  const joined = /\|\| ?\w+\([^|`\n:]*?\)::(?:int|bigint|float8|numeric)\b(?!::text)/.exec(text)
  return joined ? [`${path} joins a number to text without ::text: ${joined[0]}`] : []
}

/** In `src/database/`, files hold sentences for operators too. */
export function linesOfSqlAreShort(file: SourceFile): string[] {
  const { path, text } = file
  if (!mayContainSql(path)) return []
  const long = text
    .split('\n')
    .flatMap((line, at) => (line.length > 110 ? [{ line, at: at + 1 }] : []))
  const statements = path.startsWith('src/db/') ? text : statementsOf(file)
  return long.flatMap(({ line, at }) =>
    statements.includes(line) ? [`${path}:${at} has ${line.length} characters`] : [],
  )
}

const statementsOf = ({ text }: SourceFile): string =>
  [...text.matchAll(/^.*`(?:[^`\\]|\\.)*`.*$/gm)]
    .map(([lines]) => lines)
    .filter((lines) =>
      /`\s*\(?(?:with|select|insert into|update|delete from|create|alter table|do \$\$|from|format\()\s/.test(
        lines,
      ),
    )
    .join('\n')

const linesMax = 60
const stepsMax = 8

/** A longer statement opens with the numbered list of its steps, above it or at its beginning. */
export function longStatementsHaveSteps({ path, text }: SourceFile): string[] {
  if (!mayContainSql(path)) return []
  return statementsIn(text).flatMap(({ statement, index }) => {
    const lines = statement.split('\n').length
    const steps = statement.match(
      /(?:\bwith(?: recursive)?|[,)}])\s+\w+(?: \([^)]*\))? as (?:not )?(?:materialized )?\(/g,
    )
    if (lines <= linesMax && (steps?.length ?? 0) <= stepsMax) return []
    const before = text.slice(0, index).split('\n').slice(-40).join('\n')
    return /(?:\/\/|\*) 1\. [^]*(?:\/\/|\*) 2\. /.test(before)
      ? []
      : [`${path}:${text.slice(0, index).split('\n').length} has no list of its steps`]
  })
}

function statementsIn(text: string): { statement: string; index: number }[] {
  return [...text.matchAll(/\b(?:sql|part|fragment)`/g)].map(({ 0: start, index }) => {
    const from = index + start.length
    return { statement: text.slice(from, endOfTemplate(text, from)), index }
  })
}

function endOfTemplate(text: string, from: number): number {
  for (let at = from; at < text.length; at++)
    if (text[at] === '\\') at++
    else if (text[at] === '`') return at
    else if (text.startsWith('${', at)) at = endOfExpression(text, at + 2)
  return text.length
}

function endOfExpression(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++)
    if (text[at] === '`') at = endOfTemplate(text, at + 1)
    else if (text[at] === '{') depth++
    else if (text[at] === '}' && depth-- === 0) return at
  return text.length
}

/** The client makes `created_at` the property `createdAt`. */
export function columnsHaveNoQuotes({ path, text }: SourceFile): string[] {
  const [alias] = (path.startsWith('src/db/') && /\bas "\w*[A-Z]\w*"/.exec(text)) || []
  return alias === undefined ? [] : [`${path} names a column by hand: ${alias}`]
}

/**
 * The runner's own table is older than the function; PostgreSQL's clock alone says for how long a
 * transaction is open.
 */
const asksPostgres = new Set([
  'src/database/schema/migrate.ts',
  // A migration waits for its locks in real time.
  'src/database/schema/lock-together.ts',
  'src/database/partitions/change-partitions.ts',
])

const isSqlFile = (path: string): boolean =>
  /^migrations\/.*\.sql$/.test(path) || (mayContainSql(path) && path.endsWith('.ts'))

/**
 * Only templates can hold SQL in a TypeScript file, so that `performance.now()` may stand beside
 * them.
 */
function sqlOf(path: string, code: string): string {
  return path.endsWith('.sql')
    ? code
    : [...code.matchAll(/`(?:[^`\\]|\\.)*`/g)].map((match) => match[0]).join('\n')
}

/**
 * Comments may name what code may not do. Strings are kept: `//` after a colon is an address. `--`
 * is a comment in SQL alone.
 */
function withoutComments({ path, text }: SourceFile): string {
  const ofSql = (sql: string): string => sql.replace(/--\s.*$/gm, '')
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '')
  if (path.endsWith('.sql')) return ofSql(code)
  return code
    .replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1')
    .replace(/(?<=\b(?:sql|fragment|part))`(?:[^`\\]|\\.)*`/g, ofSql)
}

/** One operation, one verb file of its name: `pauseCampaign` is in `pause-campaign.ts`. */
export function verbsHaveTheirFile({ path, text }: SourceFile): string[] {
  if (path !== 'src/core/dispatch/verbs.ts') return []
  const lines = withoutComments({ path, text }).split('\n')
  return lines.flatMap((line) => {
    const [, verb = '', file = ''] = /^export \{ (\w+) \} from '(.+)'$/.exec(line) ?? []
    const ofVerb = `/${verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`
    return line.trim() === '' || (verb !== '' && file.endsWith(ofVerb))
      ? []
      : [`${line} is no verb from the file of its name`]
  })
}

/**
 * `(ctx, input)`: an exported function of core that takes the context takes one input beside it. A
 * step inside a transaction takes the transaction between them. Dispatch, which calls the verbs, is
 * free.
 */
export function verbsTakeOneInput({ path, text }: SourceFile): string[] {
  if (!path.startsWith('src/core/') || path.startsWith('src/core/dispatch/')) return []
  const starts = text.matchAll(
    /^export (?:async )?(?:function\*? (\w+)(?:<[^(]*>)?|const (\w+) = (?:async )?)\(/gm,
  )
  return [...starts].flatMap(({ 0: start, 1: created, 2: stored, index }) => {
    const [first = '', second = '', ...rest] = parametersFrom(text.slice(index + start.length))
    const inputs = (/^(tx|db)\b/.test(second) ? rest : [second, ...rest]).filter(
      (parameter) => parameter !== '',
    )
    return /^(ctx\b|\{ db\b)/.test(first) && inputs.length > 1
      ? [`${path}: ${created ?? stored} takes ${inputs.length} inputs`]
      : []
  })
}

/** Returns the parameters before the parenthesis that closes their list. */
function parametersFrom(text: string): string[] {
  const parameters = ['']
  let depth = 0
  for (const [at, letter] of [...text].entries()) {
    if ('([{<'.includes(letter)) depth++
    if (')]}'.includes(letter) || (letter === '>' && text[at - 1] !== '=')) depth--
    if (depth < 0) break
    if (letter === ',' && depth === 0) parameters.push('')
    else parameters.push(parameters.pop() + letter)
  }
  return parameters.map((parameter) => parameter.trim())
}
