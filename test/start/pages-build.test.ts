/** The pages of the workspace are built when they are missing or stale, once however many ask, and not at all when they are fresh. */
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTemporaryFolder } from '../support/postgres.ts'
import { here, run } from '../support/service.ts'

/** A checkout with what the pages are made of, beside our packages. */
function makeCheckout(): string {
  const root = join(makeTemporaryFolder('pages'), 'facteur')
  mkdirSync(root)
  for (const path of ['package.json', 'package-lock.json', 'tsconfig.json', 'bin', 'src', 'web'])
    cpSync(join(here, path), join(root, path), {
      recursive: true,
      filter: (file) => !/web\/(?:dist|\.build|\.built-)/.test(file),
    })
  symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'))
  return root
}

const root = makeCheckout()
// No proxy and no registry can be meant by these: a build that asked somebody would fail.
const offline = { HTTPS_PROXY: 'http://127.0.0.1:9', npm_config_registry: 'http://127.0.0.1:9' }
const dist = join(root, 'web', 'dist')

async function build(t: Parameters<typeof run>[0], uid?: number): Promise<{ code: number | null; said: string }> {
  const [file, args] =
    uid === undefined ? [process.execPath, []] : ['setpriv', [`--reuid=${uid}`, '--clear-groups', process.execPath]]
  const program = run(t, file, [...args, join(root, 'bin', 'build.mjs')], { cwd: root, env: offline })
  const { code } = await program.ended
  return { code, said: program.said() }
}

test('missing pages are built once when two starts ask at the same time; fresh ones are left alone; stale ones are built anew', async (t) => {
  const both = await Promise.all([build(t), build(t)])
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
    both.map(({ said }) => said).join('\n'),
  )
  assert.equal(both.filter(({ said }) => said.includes('Built the pages')).length, 1, both.map(({ said }) => said).join('\n'))
  assert.ok(existsSync(join(dist, 'index.html')))
  assert.deepEqual(
    readdirSync(join(root, 'web')).filter((name) => name.startsWith('.')),
    [],
    'nothing is left lying about',
  )

  const began = performance.now()
  assert.deepEqual(await build(t), { code: 0, said: '' })
  assert.ok(performance.now() - began < 2_000, 'a look at the sources is all it takes')

  const before = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.css'))
  appendFileSync(join(root, 'web', 'src', 'theme', 'style.css'), '.added {\n  color: red;\n}\n')
  assert.match((await build(t)).said, /Built the pages/)
  assert.notDeepEqual(
    readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.css')),
    before,
  )
})

test('stale pages in a folder that cannot be written: the refusal says what to do', async (t) => {
  appendFileSync(join(root, 'web', 'src', 'theme', 'style.css'), '.more {\n  color: red;\n}\n')
  const isRoot = process.getuid?.() === 0
  chmodSync(join(root, 'web'), 0o555)
  t.after(() => chmodSync(join(root, 'web'), 0o755))
  const { code, said } = await build(t, isRoot ? 65_534 : undefined)
  assert.equal(code, 1)
  assert.match(said, /must be built, and .*web cannot be written \(EACCES\): run "npm run build" once/)
})

test('pages that cannot be built: the refusal shows why, and what stood there stays', async (t) => {
  appendFileSync(join(root, 'web', 'src', 'main.tsx'), '\nimport { missing } from "./nowhere.ts"\nmissing()\n')
  const { code, said } = await build(t)
  assert.equal(code, 1)
  assert.match(said, /could not be built[\s\S]*nowhere/)
  assert.ok(existsSync(join(dist, 'index.html')))
})
