/**
 * A lane is a checkout of its own with all mutants planted. It plays one test file at a time, until
 * the first failure.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskFolder } from '../support/temporary-folder.ts'
import { completesWithin } from '../support/until.ts'
import { plant, type Mutant } from './mutants.ts'

export interface Played {
  file: string
  active: number[]
  passed: boolean
  seconds: number
  /** Numbers of the mutants whose places the test and its processes passed. */
  reached: number[]
  /** The first test that failed, or why there is none; null if all passed. */
  failure: string | null
}

export interface Lane {
  root: string
  program: string
  play(file: string, active: number[], limitSeconds: number): Promise<Played>
}

const ending = new Set<() => void>()

let isOver = false

/** Ends all that plays at this moment; `play` rejects from now on. */
export function endAll(): void {
  isOver = true
  ending.forEach((end) => end())
}

/** A checkout of the commit, with the packages of this one and the history that some tests read. */
export function checkOut(root: string, commit: string): void {
  const project = join(import.meta.dirname, '..', '..')
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', project, root])
  execFileSync('git', ['-C', root, 'checkout', '--quiet', '--detach', commit])
  // The pattern for the folder leaves out no link.
  appendFileSync(join(root, '.git', 'info', 'exclude'), 'node_modules\n')
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
}

/** `pages`: a lane whose built pages are good for this one too. */
export function openLane(
  root: string,
  { commit, mutants, pages }: { commit: string; mutants: Mutant[]; pages?: string },
): Lane {
  const files = { active: `${root}.active`, reached: `${root}.reached` }
  const whole = `${root}.whole`
  writeFileSync(files.active, '')
  writeFileSync(files.reached, '')
  // Processes of tests have other users.
  chmodSync(files.reached, 0o666)
  if (!existsSync(whole)) {
    rmSync(root, { recursive: true, force: true })
    checkOut(root, commit)
    plant(root, mutants, files)
    if (pages !== undefined)
      cpSync(join(pages, 'web', 'dist'), join(root, 'web', 'dist'), { recursive: true })
    writeFileSync(whole, '')
  }
  const program = execFileSync(process.execPath, ['bin/build.mjs'], {
    cwd: root,
    encoding: 'utf8',
  }).trim()
  const play: Lane['play'] = async (file, active, limitSeconds) => {
    writeFileSync(files.active, active.join(' '))
    writeFileSync(files.reached, '')
    const began = Date.now()
    const failure = await playFile({ root, program }, file, limitSeconds * 1000)
    if (isOver) throw new Error('Stopped: the same command goes on')
    const seconds = (Date.now() - began) / 1000
    const reached = [
      ...new Set(readFileSync(files.reached, 'utf8').split('\n').filter(Boolean).map(Number)),
    ]
    return {
      file,
      active,
      passed: failure === null,
      seconds,
      reached: reached.toSorted((a, b) => a - b),
      failure,
    }
  }
  return { root, program, play }
}

/** Returns the title of the first test that failed, or null. */
async function playFile(
  { root, program }: Omit<Lane, 'play'>,
  file: string,
  limitMs: number,
): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  chmodSync(folder, 0o711)
  const child = spawn(process.execPath, ['--test-reporter=tap', file], {
    cwd: root,
    env: {
      ...process.env,
      FACTEUR_TEST_PROGRAM: program,
      FACTEUR_TEST_DISK: diskFolder(),
      TMPDIR: folder,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  let failure: string | null = null
  const stop = (why: string): void => {
    failure ??= why
    if (child.exitCode === null && child.signalCode === null) killTree(child.pid ?? 0)
    child.stdout.destroy()
  }
  const end = (): void => stop('stopped')
  ending.add(end)
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-10_000)
    // A process in namespaces of its own writes for readers.
    const [, title] = /^ *(?:not ok \d+ -|✖) (.*)$/m.exec(output) ?? []
    if (title !== undefined) stop(title)
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (!(await completesWithin(ended, limitMs))) stop(`hangs for ${limitMs / 1000} s`)
  const code = await ended
  ending.delete(end)
  rmSync(folder, { recursive: true, force: true })
  return failure ?? (code === 0 ? null : `ends with ${code}`)
}

/**
 * The process and all that it started, whatever their groups are. PostgreSQL gets the signal at
 * which it cleans up.
 */
function killTree(pid: number): void {
  const children = Map.groupBy(processes(), ({ parent }) => parent)
  const kill = (each: { pid: number; name: string }): void => {
    try {
      process.kill(each.pid, each.name === 'postgres' ? 'SIGQUIT' : 'SIGKILL')
    } catch {
      // It has ended.
    }
    for (const child of children.get(each.pid) ?? []) kill(child)
  }
  kill({ pid, name: 'node' })
}

function processes(): { pid: number; parent: number; name: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [, pid, command = '', parent] =
        /^(\d+) \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), name: command }]
    } catch {
      return []
    }
  })
}
