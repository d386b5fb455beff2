/**
 * The previous release as a program to run: its tree from the history of this repository, put
 * together once.
 */
import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsFolder, readPreviousRelease } from '../../src/database/schema/migration-files.ts'
import { diskFolder } from '../support/temporary-folder.ts'

const root = join(import.meta.dirname, '..', '..')

export const previousRelease = readPreviousRelease(migrationsFolder) ?? {
  commit: '',
  migration: '',
}

/**
 * Says why the tree cannot be had: an archive without history, or a part of it. Null when it is
 * there. Throws where the whole history is there without the commit: the record is wrong, and a
 * skipped test would hide it.
 */
export function whyNoPreviousRelease(commit = previousRelease.commit): string | null {
  if (gitIn(['cat-file', '-e', `${commit}^{commit}`]).status === 0) return null
  const { status, stdout, stderr, error } = gitIn(['rev-parse', '--is-shallow-repository'])
  if (status !== 0)
    return `this is no checkout with its history (git: ${(error?.message ?? stderr).trim().split('\n')[0]})`
  if (stdout.trim() === 'true')
    return `this checkout has no commit ${commit}: "git fetch --unshallow" brings it`
  throw new Error(
    `The history of this checkout does not have the commit ${commit} of a former release`,
  )
}

/** What git answers; throws when it fails. */
export function readHistory(args: string[]): string {
  const { status, stdout, stderr } = gitIn(args)
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** The checkout may belong to another user, as in a container. */
const gitIn = (args: string[]): SpawnSyncReturns<string> =>
  spawnSync('git', ['-c', 'safe.directory=*', ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 200_000_000,
  })

/** The sources of the previous release that hold statements. */
export function previousSources(): string[] {
  const names = readHistory(['ls-tree', '-r', '--name-only', previousRelease.commit, 'src/db'])
    .trim()
    .split('\n')
  return names.map((name) => readHistory(['show', `${previousRelease.commit}:${name}`]))
}

/** The names in a folder of the previous release. */
export const previousNames = (folder: string): string[] =>
  readHistory(['ls-tree', '--name-only', `${previousRelease.commit}:${folder}`])
    .trim()
    .split('\n')

/** The file of the program. */
export const previousProgram = (commit = previousRelease.commit): string =>
  join(previousTree(commit), 'dist', 'previous', 'main.js')

/**
 * The folder of the release, put together. It stays in the temporary folder for the next run of
 * this checkout, whose packages it uses.
 */
export function previousTree(commit = previousRelease.commit): string {
  const packages = createHash('sha1')
    .update(root)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const tree = join(
    diskFolder(),
    `facteur-test-release-${commit.slice(0, 12)}-${packages.slice(0, 8)}`,
  )
  if (!existsSync(tree)) {
    const started = mkdtempSync(`${tree}-`)
    const archive = join(started, 'archive.tar')
    readHistory(['archive', `--output=${archive}`, commit])
    execFileSync('tar', ['-x', '-C', started, '-f', archive])
    install(started)
    execFileSync(process.execPath, ['bin/bundle.mjs', join(started, 'dist', 'previous')], {
      cwd: started,
      stdio: 'inherit',
    })
    complete(started, tree)
  }
  return tree
}

/**
 * The packages of this checkout, unless it lacks one of the release or has it in another version.
 */
function install(tree: string): void {
  const here = packagesOf(root)
  const hasAll = [...packagesOf(tree)].every(([name, version]) => here.get(name) === version)
  if (hasAll) symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  else
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: tree,
      stdio: 'inherit',
    })
}

/** Versions by the place in `node_modules`. */
function packagesOf(folder: string): Map<string, string | undefined> {
  const { packages }: { packages: Record<string, { version?: string }> } = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  )
  return new Map(Object.entries(packages).map(([name, { version }]) => [name, version]))
}

/** Another run may have been quicker. */
function complete(started: string, tree: string): void {
  try {
    renameSync(started, tree)
  } catch (error) {
    if (!existsSync(tree)) throw error
    rmSync(started, { recursive: true, force: true })
  }
}
