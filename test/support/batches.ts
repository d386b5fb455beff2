/**
 * Several test files in one process, one after another: a process needs 1.4 s of processor time to
 * load what they share. Each file is a test of its name, so that its hooks and its limit of time
 * are its own. A test begins as soon as it is called: what it uses is defined above it.
 */
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeTemporaryFolder } from './temporary-folder.ts'

/**
 * Their files start programs or servers, which take the time, or change the environment of their
 * process. `rows-behind-a-look` failed once in a process of several files, and never in one of its
 * own; why is not known.
 */
const alone =
  /^test\/(cluster|faults|hosts|moves|referees|start|upgrades|world)\/|^test\/(providers\/registry|workers\/rows-behind-a-look)\.test\.ts$/

/** They take minutes, and begin first, so that none is alone at the end. */
const longest = /^test\/(cells\/|cli\/(backup|restore)|db\/(cells|moves)\/|web\/(campaign|crawl))/

/** A process that played more would hold the leftovers of all of them. */
const filesInProcess = 10

/** The programs that play these files; `limitMs` ends a file that hangs. */
export function batchesOf(files: readonly string[], limitMs: number): string[] {
  const folder = makeTemporaryFolder('batches')
  const shared = files
    .filter((file) => !alone.test(file))
    .toSorted((a, b) => Number(longest.test(b)) - Number(longest.test(a)))
  const programs = (name: string, each: readonly string[], inProcess: number): string[] => {
    const queue = join(folder, `${name}.json`)
    writeFileSync(queue, JSON.stringify(each))
    return Array.from({ length: Math.ceil(each.length / inProcess) }, (_, index) => {
      const program = join(folder, `${name}-${index + 1}.mjs`)
      writeFileSync(program, programOf({ queue, inProcess, limitMs }))
      return program
    })
  }
  return [
    ...programs(
      'alone',
      files.filter((file) => alone.test(file)),
      1,
    ),
    ...programs('shared', shared, filesInProcess),
  ]
}

/** Programs take from one queue, so that none plays on alone at the end. */
const programOf = (options: { queue: string; inProcess: number; limitMs: number }): string => `
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { claimFile, isOver, limitOf, overReason, timed } from '${pathToFileURL(import.meta.filename).href}'
const files = JSON.parse(readFileSync('${options.queue}', 'utf8'))
for (let played = 0; played < ${options.inProcess}; played++) {
  const file = claimFile('${options.queue}', files)
  if (file === undefined) break
  if (isOver()) test(file.name, { skip: overReason })
  else await timed(file.name, () => test(file.name, { timeout: limitOf(${options.limitMs}) }, async () => { await import(file.url) }))
}
`

/**
 * Names the second of Unix time from which on no file begins any more, so that a slow machine ends
 * in time.
 */
const UNTIL = 'FACTEUR_TEST_UNTIL'

const overAtMs = (): number => Number(process.env[UNTIL] ?? Infinity) * 1000

/** @public The programs use it. */
export const isOver = (): boolean => Date.now() > overAtMs()

/**
 * How long a file may last that begins now: one that hangs must not keep the run from its summary.
 * @public The programs use it.
 */
export const limitOf = (limitMs: number): number =>
  Math.min(limitMs, overAtMs() + afterOverMs - Date.now())

/** Longer than the longest file takes on a busy machine. */
const afterOverMs = 5 * 60_000

/** @public The programs use it. */
export const overReason = 'the time of the run is over: play the file by npm test -- FILE'

/**
 * Names a file for lines of seconds of time and of processor time, with those of ended children,
 * for each test file.
 */
const TIMES = 'FACTEUR_TEST_TIMES'

/** @public The programs use it. */
export async function timed(name: string, play: () => Promise<void>): Promise<void> {
  const [began, used] = [performance.now(), processorSeconds()]
  await play()
  const { [TIMES]: times } = process.env
  const seconds = [(performance.now() - began) / 1000, processorSeconds() - used].map((each) =>
    each.toFixed(1),
  )
  if (times !== undefined) appendFileSync(times, `${[...seconds, name].join('\t')}\n`)
}

function processorSeconds(): number {
  if (process.platform !== 'linux') return NaN
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(/\) (?!.*\))/)
  // utime, stime, cutime and cstime of proc(5), in hundredths of a second.
  const ticks = fields.split(' ').slice(11, 15).map(Number)
  return ticks.reduce((sum, each) => sum + each, 0) / 100
}

/**
 * The first file that no other process has claimed; undefined when all are claimed. @public The
 * programs use it.
 */
export function claimFile(
  queue: string,
  files: readonly string[],
): { name: string; url: string } | undefined {
  const name = files.find((_, index) => isOurs(`${queue}.${index}`))
  return name === undefined ? undefined : { name, url: pathToFileURL(resolve(name)).href }
}

function isOurs(claim: string): boolean {
  try {
    closeSync(openSync(claim, 'wx'))
    return true
  } catch {
    return false
  }
}
