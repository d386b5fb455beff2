/** Runs test files by node's own test runner, several at once; prints what each says. */
import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { batchesOf } from './batches.ts'

/** Longest that one file may take, in milliseconds, and half of what a process of several may: a hung test must not hang everything. */
const FILE_MS = 5 * 60_000

interface Running {
  /** How many files run at once. Default twice as many as there are processors: some wait while others compute. */
  atOnce?: number
  /** How many times as long as elsewhere a file may take. */
  slower?: number
}

/**
 * Files of one folder are of a kind: mixed, those that compute run beside those that wait. The same order each time. `node --test`
 * would sort them again.
 */
export function mixed(names: string[]): string[] {
  const place = (name: string): string => createHash('sha1').update(name).digest('hex')
  return names.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
}

/** `patterns`: names of the tests to run; none: all. A signal to us ends the files that run. Ctrl-C reaches them by itself, too. */
export async function runFiles(
  files: string[],
  patterns: string[],
  { atOnce = availableParallelism() * 2, slower = 1 }: Running = {},
): Promise<void> {
  const limitMs = FILE_MS * slower
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())
  process.on('disconnect', () => stopping.abort())
  process.channel?.unref()
  const tests = run({
    // A pattern would leave out the test that is a file of a batch, with all that is in it.
    files: patterns.length > 0 ? files.map((file) => resolve(file)) : batchesOf(files, { processes: atOnce, limitMs }),
    concurrency: atOnce,
    timeout: 2 * limitMs,
    testNamePatterns: patterns,
    signal: stopping.signal,
  })
  tests.on('test:fail', () => (process.exitCode = 1))
  await pipeline(tests, new spec(), process.stdout, { end: false, signal: stopping.signal }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
    process.exitCode = 1
  })
}
