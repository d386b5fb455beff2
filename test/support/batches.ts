/**
 * Several test files in one process, one after another: starting a process and loading what they share takes longer than most of
 * them. Each file is a test of its name, so that its hooks and its limit of time are its own. A test begins as soon as it is
 * called: what it uses is defined above it.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeTemporaryFolder } from './temporary-folder.ts'

/** Their files start programs, browsers or servers, which take the time, and change the environment of their process. */
const foldersAlone = /^test\/(cluster|faults|hosts|moves|referees|start|upgrades|web|world)\//

const filesAlone = new Set([
  // It registers a provider before modules read the list.
  'test/providers/registry.test.ts',
])

/** More save little, and the last process must not run on when the others are done. */
const filesInBatch = 8

/** The programs that run these files in `processes` at a time; `limitMs` ends a file that hangs. */
export function batchesOf(files: readonly string[], { processes, limitMs }: { processes: number; limitMs: number }): string[] {
  const isAlone = (file: string): boolean => foldersAlone.test(file) || filesAlone.has(file)
  const shared = files.filter((file) => !isAlone(file))
  const size = Math.min(filesInBatch, Math.ceil(shared.length / processes))
  const folder = makeTemporaryFolder('batches')
  const programs = Array.from({ length: Math.ceil(shared.length / size) }, (_, index) => {
    const program = join(folder, `batch-${index + 1}.mjs`)
    const lines = shared.slice(index * size, (index + 1) * size).map((file) => lineOf(file, limitMs))
    writeFileSync(program, `import { test } from 'node:test'\n${lines.join('')}`)
    return program
  })
  return [...files.filter(isAlone).map((file) => resolve(file)), ...programs]
}

const lineOf = (file: string, timeout: number): string =>
  `test('${file}', { timeout: ${timeout} }, async () => { await import('${pathToFileURL(resolve(file)).href}') })\n`
