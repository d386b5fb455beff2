/** Lines that cannot be understood, and help at every level. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { operationIds } from '../../src/contract/operations.ts'
import { commands } from '../../src/entrypoints/cli/commands.ts'
import { commandName } from '../../src/entrypoints/cli/derive/derive-command.ts'
import { parameterWords, parse, readGlobals } from '../../src/entrypoints/cli/parse.ts'
import { commandReference } from '../../src/entrypoints/cli/reference.ts'
import { CommandRefusal } from '../../src/entrypoints/cli/refusal.ts'
import { at } from '../support/json.ts'
import { createOperator } from './facteur.ts'

/** No database is reached by any line of this file: an address where none is would say so. */
const operator = createOperator({ DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/none' })

const wrongLines: [line: string, message: RegExp][] = [
  ['wrkspace list', /^There is no command "wrkspace": did you mean workspace\?$/],
  ['workspace', /^facteur workspace needs one of: create, list, show, set, move\.$/],
  [
    'workspace creat acme',
    /^There is no command "workspace creat": did you mean workspace create\?$/,
  ],
  ['create workspace acme', /did you mean workspace create\?$/],
  ['xyzzy', /^There is no command "xyzzy"\.$/],
  ['--workspace acme key list', /^--workspace stands before any command/],
  ['workspace list --jsno', /^workspace list has no flag --jsno: did you mean --json\?$/],
  ['key list -w acme', /^key list has no flag -w/],
  ['workspace show', /^W missing: facteur workspace show W$/],
  ['workspace show a b', /^"b" is one word too many/],
  ['workspace set acme --rate-per-minute', /^--rate-per-minute needs a value/],
  ['workspace set acme --rate-per-minute --json', /^--rate-per-minute needs a value/],
  ['workspace set acme --rate-per-minute=', /^--rate-per-minute needs a value/],
  [
    'workspace set acme --rate-per-minute=5 --rate-per-minute=6',
    /^--rate-per-minute is given twice\.$/,
  ],
  ['workspace set acme --rate-per-minute 0', /^"0" is not a whole number from 1 to 1000000\.$/],
  ['workspace set acme --rate-per-minute 1e3', /^"1e3" is not a whole number/],
  ['domain verify --workspace acme a.test --force=yes', /^--force takes no value\.$/],
  ['domain add --workspace acme not_a_domain', /^"not_a_domain" is not a domain name/],
  ['sender add --workspace acme nobody', /^"nobody" is not an address such as/],
  [
    'key create --workspace acme --name a --scopes emails:sent',
    /^"emails:sent" is none of .*logs:read: did you mean emails:send\?$/,
  ],
  [
    'key create --workspace acme --name a --scopes all',
    /^"all" is none of emails:send, .*logs:read\.$/,
  ],
  [
    'plan set --workspace acme --name pro --monthly many',
    /^"many" is neither a whole number of recipients a month nor none\.$/,
  ],
]

test('exit code 2, one line and the nearest word: a line that cannot be understood', () => {
  for (const [line, message] of wrongLines) {
    assert.throws(
      () => parse(readGlobals(line.split(' ')), commands),
      (error: unknown) =>
        error instanceof CommandRefusal && error.code === 'usage' && message.test(error.message),
      line,
    )
  }
})

test('exit code 2 from the program, in words and as JSON', async () => {
  await operator.refused(['workspace', 'creat', 'acme'], {
    code: 'usage',
    exit: 2,
    message: /did you mean workspace create\?/,
  })
  await operator.refused(['suppression', 'list'], {
    code: 'usage',
    exit: 2,
    message: /^Which list\? Give --workspace W or --platform\./,
  })
  await operator.refused(
    ['key', 'create', '--workspace', 'a', '--name', 'a\u0007', '--scopes', 'emails:send'],
    {
      code: 'usage',
      exit: 2,
      message: /^A name is 1 to 120 characters/,
    },
  )
})

test('flags stand before or after arguments, with = or a space; after -- all are arguments', () => {
  const expected = { DOMAIN: 'acme.test', workspace: 'acme', force: true }
  for (const line of [
    'domain verify --workspace acme --force acme.test',
    'domain verify acme.test --force --workspace=acme',
    'domain verify --force --workspace=acme -- acme.test',
  ]) {
    const parsed = parse(readGlobals(line.split(' ')), commands)
    assert.deepEqual(parsed.kind === 'command' && parsed.input, expected)
  }
  const named = parse(readGlobals(['workspace', 'create', '--', '--json']), commands)
  assert.deepEqual(named.kind === 'command' && named.input, { NAME: '--json', cell: null })
})

test('the word of a value says what it is', () => {
  const words = new Set(
    commands.flatMap((command) =>
      parameterWords(command).map(({ word }) => `${command.name} ${word}`),
    ),
  )
  for (const word of [
    'subscriber list --status STATUS',
    'subscriber list --q TEXT',
    'key create --expires-at TIME',
    'key create --scopes SCOPE,SCOPE',
    'campaign schedule --scheduled-at TIME',
    'webhook rotate --overlap-hours N',
    'form set --tag TAG',
    'form set --colours COLOUR,COLOUR,COLOUR',
  ])
    assert.ok(words.has(word), word)
})

test('a command has one name, and each of its parameters says what it is for', () => {
  const names = commands.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)])
  for (const { name, arguments: places, flags, examples } of commands) {
    for (const [parameter, { text }] of [...Object.entries(places), ...Object.entries(flags)])
      assert.notEqual(text, '', `${name}: ${parameter}`)
    for (const example of examples) assert.ok(example.startsWith(name), `${name}: ${example}`)
  }
})

/** What operators look after, which no operation of the API is about. */
const ofInstallation =
  'backup bounces cell database doctor init migrate plan provider reputation restore start'
/**
 * `createApiKey` is `key create`, `listSubscriberFields` is `field list`, and requests are only ever
 * listed.
 */
const spelledOtherwise = 'field key requests'

test('the noun of each command is that of an operation, or of the installation', () => {
  const nounOf = (name: string): string => name.split(' ')[0] ?? ''
  const nouns = new Set(operationIds.map((id) => nounOf(commandName(id))))
  const others = commands.map(({ name }) => nounOf(name)).filter((noun) => !nouns.has(noun))
  assert.deepEqual(
    [...new Set(others)].toSorted(),
    `${ofInstallation} ${spelledOtherwise}`.split(' ').toSorted(),
  )
})

test('help at every level is exit code 0, and needs neither database nor settings', async () => {
  const broken = { FACTEUR_PORT: 'none' }
  const [all, bare, group, result, start, asWord, both] = await Promise.all([
    operator.run(['--help'], broken),
    operator.run([], broken),
    operator.run(['workspace', '--help'], broken),
    operator.run(['key', 'create', '-h'], broken),
    operator.run(['start', '--help'], broken),
    operator.run(['help', 'key', 'create'], broken),
    operator.run(['backup', '/backups', '--help'], broken),
  ])
  for (const text of [all, bare, group, result, start, asWord, both])
    assert.deepEqual([text.code, text.stderr], [0, ''])
  assert.deepEqual(all.stdout, bare.stdout)
  for (const { name } of commands)
    assert.match(all.stdout.toString(), new RegExp(`^  ${name} `, 'm'))
  assert.match(group.stdout.toString(), /^  workspace set +Set/m)
  assert.doesNotMatch(group.stdout.toString(), /key create/)
  assert.match(
    result.stdout.toString(),
    /facteur key create --workspace W --name NAME --scopes SCOPE,SCOPE/,
  )
  assert.match(start.stdout.toString(), /facteur start \[--role R,R\]/)
  assert.deepEqual(result.stdout, asWord.stdout)
  // A command that others begin with has its own page.
  assert.match(
    both.stdout.toString(),
    /^  facteur backup DIR \[--with-key\]\n[^]*^  facteur backup - > [^]*^See also:\n  backup verify +Prove/m,
  )
  assert.equal(
    at(
      JSON.parse((await operator.run(['domain', 'add', '--help', '--json'])).stdout.toString()),
      'data',
      '0',
      'name',
    ),
    'domain add',
  )
})

test('exit code 1 and one line: settings that cannot be used, a database that is not there', async () => {
  await operator.refused(['workspace', 'list'], {
    code: 'failed',
    exit: 1,
    message: /^DATABASE_URL: nothing listens there \(127\.0\.0\.1:1\/none\)/,
  })
  const output = await operator.run(['workspace', 'list'], { FACTEUR_PORT: 'none' })
  assert.deepEqual(
    [output.code, output.stderr],
    [1, 'FACTEUR_PORT is "none": expected a number from 0 to 65535\n'],
  )
})

test('docs/command-line.md is current', async () => {
  const written = await readFile(new URL('../../docs/command-line.md', import.meta.url), 'utf8')
  assert.ok(
    written === commandReference(commands),
    'docs/command-line.md is stale: run npm run docs',
  )
})
