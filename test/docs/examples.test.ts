/**
 * Every example of the reference is run as it is shown, in the order of the reference, and answers
 * what the contract promises.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import Schema from 'typebox/schema'
import { operationIds, operations, type OperationId } from '../../src/contract/operations.ts'
import { reference } from '../../src/contract/reference.ts'
import { startApi } from '../support/api.ts'
import { installClient } from '../support/client-package.ts'
import { openExampleWorld } from '../support/example-world.ts'
import { here } from '../support/service.ts'

const run = promisify(execFile)
const api = await startApi()
const project = await mkdtemp(join(tmpdir(), 'facteur-examples-'))
after(() => rm(project, { recursive: true }))

/** Examples that delete come last, and erasing after all: the others need the deleted records. */
const inOrder = operationIds
  .filter((id) => operations[id].entry === 'api')
  .toSorted((a, b) => removes(a) - removes(b))

function removes(id: OperationId): number {
  if (id === 'eraseSubscriber') return 2
  return operations[id].method === 'DELETE' ? 1 : 0
}

const flavours = [
  { name: 'curl', summary: 'curl', runAll: runInShell },
  { name: 'client', summary: 'TypeScript, <code>facteur/client</code>', runAll: runModules },
  {
    name: 'resend',
    summary: 'TypeScript, the <code>resend</code> SDK as it is',
    runAll: runModules,
  },
] as const

/**
 * Programs of TypeScript find their packages as in any project: ours as it is built, the SDK as it
 * comes.
 */
await installClient(project, ['resend'])

interface Ran extends Program {
  answer: unknown
}

const ran: Record<string, Ran[]> = {}
for (const { name, summary, runAll } of flavours) {
  const { world, key } = await openExampleWorld(api, name)
  const programs = examplesIn(reference(api.baseUrl, world), summary)
  const answers = await runAll(programs, { name, key })
  ran[name] = programs.map((each) => ({ ...each, answer: answers.get(each.id) }))
}

for (const [name, programs] of Object.entries(ran)) {
  for (const { id, program, answer } of programs) {
    test(`${name}: ${id}`, () => {
      const fits = Schema.Compile(operations[id].answer.schema).Check(answer)
      assert.ok(fits, `${program}\n\n${JSON.stringify(answer, null, 2)}`)
    })
  }
}

const shownBy = (name: string): OperationId[] => (ran[name] ?? []).map(({ id }) => id)

test('every operation is shown by curl and by the client', () => {
  assert.deepEqual(shownBy('curl'), inOrder)
  assert.deepEqual(shownBy('client'), inOrder)
})

test('the SDK is shown for what it can call, and elsewhere the page says that it cannot', () => {
  const page = reference(api.baseUrl)
  assert.deepEqual(shownBy('resend').length, 10)
  for (const id of inOrder) {
    const says = sectionOf(page, id).includes('No call of the `resend` SDK does this.')
    assert.equal(says, !shownBy('resend').includes(id), id)
  }
})

test('the examples in TypeScript compile under strict rules', { timeout: 60_000 }, async () => {
  const compilerOptions = {
    ...{ target: 'esnext', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true },
    ...{ types: ['node'], typeRoots: [join(here, 'node_modules/@types')] },
  }
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['client', 'resend'] }),
  )
  await run(join(here, 'node_modules/.bin/tsc'), ['-p', project]).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout),
  )
})

interface Program {
  id: OperationId
  program: string
}

function sectionOf(page: string, id: OperationId): string {
  return page.split(/^##+ /m).find((text) => text.startsWith(`${operations[id].summary}\n`)) ?? ''
}

/** The programs of one flavour, read off the page. */
function examplesIn(page: string, summary: string): Program[] {
  return inOrder.flatMap((id) => {
    const [, behind = ''] = sectionOf(page, id).split(`<summary>${summary}</summary>`)
    const program = /^```\w+\n(.*?)^```$/ms.exec(behind)?.[1]
    return program === undefined ? [] : [{ id, program }]
  })
}

type Answers = Map<OperationId, unknown>

async function runInShell(programs: Program[], { key }: { key: string }): Promise<Answers> {
  const answers: Answers = new Map()
  for (const { id, program } of programs) {
    const { stdout } = await run('sh', ['-c', program], {
      env: { ...process.env, FACTEUR_KEY: key },
    })
    answers.set(id, JSON.parse(stdout))
  }
  return answers
}

/**
 * One process for all of them, each a module of its own; what a module shows on the console is its
 * answer.
 */
async function runModules(
  programs: Program[],
  { name, key }: { name: string; key: string },
): Promise<Answers> {
  await mkdir(join(project, name))
  for (const { id, program } of programs) await writeFile(join(project, name, `${id}.ts`), program)
  await writeFile(
    join(project, `${name}.mjs`),
    `const shown = []
console.log = (answer) => shown.push(answer)
for (const id of ${JSON.stringify(programs.map(({ id }) => id))}) {
  const before = shown.length
  await import('./${name}/' + id + '.ts').catch((error) => shown.push(String(error)))
  process.stdout.write(JSON.stringify([id, shown[before]]) + '\\n')
}`,
  )
  const { stdout } = await run(process.execPath, [join(project, `${name}.mjs`)], {
    env: { ...process.env, FACTEUR_KEY: key },
    maxBuffer: 1 << 26,
  })
  return new Map(
    stdout
      .trim()
      .split('\n')
      .map((line): [OperationId, unknown] => JSON.parse(line)),
  )
}
