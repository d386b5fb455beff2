/** The previous release as a program to run: its tree from the history of this repository, put together once. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrationsFolder, readPreviousRelease } from '../../src/db/connection/migration-files.ts'

const root = join(import.meta.dirname, '..', '..')

export const previousRelease = readPreviousRelease(migrationsFolder) ?? { commit: '', migration: '' }

/** Says what is missing; null when the tree is there. */
export function whyNoPreviousRelease(): string | null {
  const { commit } = previousRelease
  const { status } = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' })
  return status === 0 ? null : `this checkout has no commit ${commit}: "git fetch --unshallow" brings it`
}

/** The sources of the previous release that hold statements. */
export function previousSources(): string[] {
  const git = (args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const names = git(['ls-tree', '-r', '--name-only', previousRelease.commit, 'src/db']).trim().split('\n')
  return names.map((name) => git(['show', `${previousRelease.commit}:${name}`]))
}

/** The names in a folder of the previous release. */
export const previousNames = (folder: string): string[] =>
  execFileSync('git', ['ls-tree', '--name-only', `${previousRelease.commit}:${folder}`], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')

/** The file of the program. */
export const previousProgram = (): string => join(previousTree(), 'dist', 'previous', 'main.js')

/** The folder of the release, put together. It stays in the temporary folder for the next run of this checkout, whose packages it uses. */
export function previousTree(): string {
  const packages = createHash('sha1')
    .update(root)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const tree = join(tmpdir(), `facteur-test-release-${previousRelease.commit.slice(0, 12)}-${packages.slice(0, 8)}`)
  if (!existsSync(tree)) {
    const begun = mkdtempSync(`${tree}-`)
    const archive = execFileSync('git', ['archive', previousRelease.commit], { cwd: root, maxBuffer: 200_000_000 })
    execFileSync('tar', ['-x', '-C', begun], { input: archive })
    install(begun)
    execFileSync(process.execPath, ['bin/bundle.mjs', join(begun, 'dist', 'previous')], { cwd: begun, stdio: 'inherit' })
    settle(begun, tree)
  }
  return tree
}

/** The packages of this checkout, unless it lacks one of the release or has it in another version. */
function install(tree: string): void {
  const here = packagesOf(root)
  const hasAll = [...packagesOf(tree)].every(([name, version]) => here.get(name) === version)
  if (hasAll) symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  else execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: tree, stdio: 'inherit' })
}

/** Versions by the place in `node_modules`. */
function packagesOf(folder: string): Map<string, string | undefined> {
  const { packages }: { packages: Record<string, { version?: string }> } = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  )
  return new Map(Object.entries(packages).map(([name, { version }]) => [name, version]))
}

/** Another run may have been quicker. */
function settle(begun: string, tree: string): void {
  try {
    renameSync(begun, tree)
  } catch (error) {
    if (!existsSync(tree)) throw error
    rmSync(begun, { recursive: true, force: true })
  }
}
