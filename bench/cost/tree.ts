/**
 * A checkout whose service is measured: this one, or that of another commit with the packages of
 * its own lockfile.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const project = join(import.meta.dirname, '..', '..')

export interface Tree {
  /** As it stands in the figures. */
  name: string
  folder: string
}

export const thisTree: Tree = { name: 'this', folder: project }

/**
 * Unpacks and installs it once; it stays in `.bench`. Throws where the commit is not in the
 * history.
 */
export function installTree(commit: string): Tree {
  const hash = execFileSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], {
    cwd: project,
    encoding: 'utf8',
  }).trim()
  const name = hash.slice(0, 8)
  const folder = join(project, '.bench', name)
  if (existsSync(folder)) return { name, folder }
  const started = `${folder}.begun`
  rmSync(started, { recursive: true, force: true })
  mkdirSync(started, { recursive: true })
  const files = execFileSync('git', ['archive', hash], { cwd: project, maxBuffer: 1 << 30 })
  execFileSync('tar', ['-x'], { cwd: started, input: files })
  runIn(started, ['npm', 'ci', '--no-audit', '--no-fund'])
  renameSync(started, folder)
  return { name, folder }
}

/** Runs `facteur` of the tree. Throws when it fails. */
export function runFacteur({ folder }: Tree, line: string[], env: Record<string, string>): void {
  runIn(folder, [process.execPath, program(folder), ...line], env)
}

export const program = (folder: string): string => join(folder, 'bin', 'facteur.mjs')

function runIn(
  cwd: string,
  [command = '', ...args]: string[],
  env: Record<string, string> = {},
): void {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stdout}${stderr}`)
}
