/**
 * The client as users install it: packed by `npm pack`, installed without a network, compiled under
 * strict rules, run elsewhere.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startApi } from '../support/api.ts'
import { here } from '../support/service.ts'

const run = promisify(execFile)
const api = await startApi()
const shop = await api.workspace('shop')
const demo = await api.workspace('demo')
const project = await mkdtemp(join(tmpdir(), 'facteur-outside-'))
after(() => rm(project, { recursive: true }))

const program = `import { createClient, each, FacteurError } from "facteur/client"
import type { EmailDetail } from "facteur/client"

const facteur = createClient({ baseUrl: "${api.baseUrl}", apiKey: process.env["FACTEUR_KEY"] })
const { id } = await facteur.sendEmail({
  from: "hello@shop.test",
  to: ["camille@example.com"],
  subject: "Bonjour",
  text: "Bonjour",
  html: undefined,
})
const email: EmailDetail = await facteur.getEmail(id)
const subjects: string[] = []
for await (const { subject } of each(facteur.listEmails, { recipient: "camille@example.com", limit: 1 })) subjects.push(subject)
const code = await facteur.getEmail("nothing").catch((error: unknown) => (error instanceof FacteurError ? error.code : null))
console.log(JSON.stringify({ to: email.to, subjects, code }))

// @ts-expect-error: there is no such status
void (() => facteur.listEmails({ status: "opened" }))
// @ts-expect-error: a subject is required
void (() => facteur.sendEmail({ from: "a@b.c", to: "d@e.f", text: "t" }))
// @ts-expect-error: there is no such code
void ((error: FacteurError) => error.code === "unheard_of")
`

const strictest = {
  compilerOptions: {
    ...{
      target: 'es2022',
      lib: ['es2022', 'dom'],
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(here, 'node_modules/@types')],
    },
    ...{
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
    },
    ...{ skipLibCheck: false, isolatedModules: true, verbatimModuleSyntax: true },
  },
  files: ['program.ts'],
}

test('npm pack, npm install of the file alone, tsc and node: the program runs', async () => {
  const packed = await run('npm', ['pack', './client', '--pack-destination', project], {
    cwd: here,
  })
  const tarball = packed.stdout.trim().split('\n').at(-1) ?? ''
  await writeFile(
    join(project, 'package.json'),
    '{"name":"outside","private":true,"type":"module"}',
  )
  await writeFile(join(project, 'program.ts'), program)
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(strictest))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], {
    cwd: project,
  })
  assert.deepEqual(
    (await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.')),
    ['facteur'],
  )
  await run(join(here, 'node_modules/.bin/tsc'), ['-p', project]).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout),
  )
  const { stdout } = await run(process.execPath, [join(project, 'program.js')], {
    env: { ...process.env, FACTEUR_KEY: shop.key },
  })
  assert.deepEqual(JSON.parse(stdout), {
    to: ['camille@example.com'],
    subjects: ['Bonjour'],
    code: 'not_found',
  })
})

for (const readme of ['README.md', 'client/README.md']) {
  test(`${readme}: its examples of the client run`, async () => {
    const text = await readFile(join(here, readme), 'utf8')
    const shown = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
    assert.ok(shown.length > 0)
    for (const [index, code] of shown.entries()) {
      const file = join(project, `${readme.replaceAll(/\W/g, '-')}-${index}.ts`)
      await writeFile(file, code.replaceAll('http://127.0.0.1:3025', api.baseUrl))
      await run(process.execPath, [file], { env: { ...process.env, FACTEUR_KEY: demo.key } })
    }
  })
}

test('the package holds the client and nothing of the service, and asks for no other package', async () => {
  const folder = join(project, 'node_modules', 'facteur')
  const files = await readdir(folder, { recursive: true })
  assert.deepEqual(
    files.filter(
      (name) => !/^(dist(\/[\w-]+\.(js|d\.ts))?|package\.json|README\.md|LICENSE)$/.test(name),
    ),
    [],
  )
  for (const name of files.filter((file) => /\.(js|ts)$/.test(file)))
    assert.doesNotMatch(await readFile(join(folder, name), 'utf8'), /from ['"](?!\.\/)/, name)
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  assert.deepEqual(
    [dependencies, optionalDependencies, peerDependencies],
    [undefined, undefined, undefined],
  )
})

test('client/dist is what client/src builds', async () => {
  const built = join(project, 'built')
  await run(process.execPath, [join(here, 'client/build.ts'), built])
  const stored = join(here, 'client', 'dist')
  assert.deepEqual(
    (await readdir(stored)).toSorted(),
    (await readdir(built)).toSorted(),
    'run npm run docs',
  )
  for (const name of await readdir(built))
    assert.equal(
      await readFile(join(stored, name), 'utf8'),
      await readFile(join(built, name), 'utf8'),
      `${name}: run npm run docs`,
    )
})

test('npm pack of the whole repository brings the same files, and nothing of the service', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: here })
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout)
  const paths = files.map(({ path }) => path)
  assert.deepEqual(
    paths.filter((path) => path.startsWith('client/')).toSorted(),
    (await readdir(join(here, 'client', 'dist'))).map((name) => `client/dist/${name}`).toSorted(),
  )
  assert.deepEqual(paths.filter((path) => !/^(client|bin)\//.test(path)).toSorted(), [
    'LICENSE',
    'README.md',
    'package.json',
  ])
})

test('the two package.json agree on what facteur/client is', async () => {
  const [whole, client] = await Promise.all(
    ['package.json', 'client/package.json'].map(async (path) =>
      JSON.parse(await readFile(join(here, path), 'utf8')),
    ),
  )
  assert.equal(
    await readFile(join(here, 'client/LICENSE'), 'utf8'),
    await readFile(join(here, 'LICENSE'), 'utf8'),
  )
  assert.deepEqual(
    [client.name, client.version, client.license],
    [whole.name, whole.version, whole.license],
  )
  assert.deepEqual(
    Object.values(whole.exports['./client']),
    Object.values(client.exports['./client']).map((path) =>
      String(path).replace('./', './client/'),
    ),
  )
})
