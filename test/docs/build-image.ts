/**
 * Builds the image of the Dockerfile without Docker: each line is carried out, in order, in the
 * root folder of its stage.
 *
 * 1. `FROM` lays a bare file system: a shell, four commands, Node and npm with their libraries, and
 *    nothing else of this machine.
 * 2. `RUN` is the line itself, by the shell in that folder, in namespaces of its own. Packages come
 *    from this checkout, those that `npm ci --omit=dev` installs and no other; npm itself only
 *    plans, since there may be no network.
 * 3. `COPY` copies what `.dockerignore` lets through, or from the stage that it names.
 *
 * A line that is none of these, nor a part of the image's description, fails.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { here } from '../support/service.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

export interface Image {
  /** The folder with its file system. */
  root: string
  /** As `docker inspect` has it. */
  config: {
    env: Record<string, string>
    user: string
    exposed: string[]
    entrypoint: string[]
    cmd: string[]
    health: string[]
  }
  /** What its last stage begins from. */
  base: string
}

interface Stage extends Image {
  folder: string
  /** What is mounted for `RUN`: files of this machine, read only. */
  mounts: { from: string; to: string }[]
}

export function buildImage(): Image {
  const stages = new Map<string, Stage>()
  let stage: Stage | null = null
  for (const [name, rest] of linesOf(readFileSync(join(here, 'Dockerfile'), 'utf8'))) {
    if (name === 'FROM') {
      const [base = '', as, alias = ''] = rest.split(' ')
      stage = layBase(base)
      if (as === 'AS') stages.set(alias, stage)
    } else carryOut(stage ?? assert.fail('The first line is FROM'), { name, rest, stages })
  }
  return stage ?? assert.fail('The Dockerfile has no stage')
}

/**
 * Instructions with their arguments, without comments; a line that ends with a backslash goes on.
 */
function linesOf(text: string): [name: string, rest: string][] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  return lines
    .filter(Boolean)
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)])
}

function carryOut(
  stage: Stage,
  { name, rest, stages }: { name: string; rest: string; stages: Map<string, Stage> },
): void {
  const { config } = stage
  switch (name) {
    case 'RUN':
      return run(stage, rest)
    case 'COPY':
      return copy(stage, rest, stages)
    case 'WORKDIR':
      stage.folder = rest
      mkdirSync(join(stage.root, rest), { recursive: true })
      return
    case 'ENV':
      Object.assign(
        config.env,
        Object.fromEntries(rest.split(' ').map((pair) => pair.split('=', 2))),
      )
      return
    case 'USER':
      config.user = rest
      return
    case 'EXPOSE':
      config.exposed.push(rest)
      return
    case 'HEALTHCHECK':
      config.health = JSON.parse(/CMD (\[.+\])$/.exec(rest)?.[1] ?? '[]')
      return
    case 'ENTRYPOINT':
      config.entrypoint = JSON.parse(rest)
      return
    case 'CMD':
      config.cmd = JSON.parse(rest)
      return
    default:
      assert.fail(`The Dockerfile has a line ${name}, which this test does not carry out`)
  }
}

/**
 * What `node:24-slim` has that the Dockerfile relies on or removes. npm's own files are mounted
 * while it runs.
 */
function layBase(base: string): Stage {
  const root = makeTemporaryFolder('image')
  chmodSync(root, 0o755)
  for (const folder of [
    'proc',
    'dev',
    'tmp',
    'root',
    'etc',
    'usr/bin',
    'usr/local/bin',
    'opt/yarn-v1.22.22/bin',
    'app',
  ])
    mkdirSync(join(root, folder), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777)
  symlinkSync('usr/bin', join(root, 'bin'))
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
  )
  for (const name of ['sh', 'env', 'rm', 'ln'])
    copyProgram(realpathSync(`/bin/${name}`), root, `usr/bin/${name}`)
  copyProgram(process.execPath, root, 'usr/local/bin/node')
  for (const [name, file] of [
    ['npm', '../lib/node_modules/npm/bin/npm-cli.js'],
    ['npx', '../lib/node_modules/npm/bin/npx-cli.js'],
    ['corepack', '../lib/node_modules/corepack/dist/corepack.js'],
    ['yarn', '/opt/yarn-v1.22.22/bin/yarn'],
    ['yarnpkg', '/opt/yarn-v1.22.22/bin/yarnpkg'],
  ] as const)
    symlinkSync(file, join(root, 'usr/local/bin', name))
  mkdirSync(join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  const config = { env, user: '', exposed: [], entrypoint: [], cmd: [], health: [] }
  return { root, base, config, folder: '/', mounts: [] }
}

function copyProgram(file: string, root: string, path: string): void {
  copyFileSync(file, join(root, path))
  for (const [, library = ''] of execFileSync('ldd', [file], { encoding: 'utf8' }).matchAll(
    /(\/\S+) \(0x/g,
  )) {
    copyLibrary(library, root)
    // Debian's package of the C library has this one too, which programs do not name when they are
    // linked with it.
    if (library.endsWith('/libc.so.6')) copyLibrary(join(dirname(library), 'librt.so.1'), root)
  }
}

function copyLibrary(library: string, root: string): void {
  mkdirSync(join(root, dirname(library)), { recursive: true })
  if (!existsSync(join(root, library))) copyFileSync(library, join(root, library))
}

function run(stage: Stage, line: string): void {
  const { root, folder, config } = stage
  const installs = line.startsWith('npm ci ')
  const npm = { from: npmFolder(), to: join(root, 'usr/local/lib/node_modules/npm') }
  const table = join(makeTemporaryFolder('image-mounts'), 'fstab')
  writeFileSync(
    table,
    [...(installs ? [npm] : []), ...stage.mounts]
      .map(({ from, to }) => `${from} ${to} none bind,ro 0 0\n`)
      .join(''),
  )
  const prepare =
    '/bin/mount -t proc proc "$1/proc" && /bin/mount --rbind /dev "$1/dev" && /bin/mount -T "$2" -a && cd "$1" && exec /usr/sbin/chroot "$1" sh -c "cd $3 && $4"'
  const planOnly = installs ? { npm_config_dry_run: 'true', npm_config_offline: 'true' } : {}
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      '/bin/sh',
      '-c',
      prepare,
      'sh',
      root,
      table,
      folder,
      line,
    ],
    { env: { ...config.env, ...planOnly, HOME: '/root' }, encoding: 'utf8' },
  )
  assert.equal(status, 0, `RUN ${line}\n${stdout}${stderr}`)
  if (installs) stage.mounts = installedPackages(join(root, folder))
}

const npmFolder = (): string =>
  dirname(
    dirname(
      realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()),
    ),
  )

/**
 * Those of the lock file that are not for development, at their places; and npm's record of them.
 */
function installedPackages(folder: string): Stage['mounts'] {
  const lock: { packages: Record<string, { dev?: boolean }> } = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  )
  const expected = Object.entries(lock.packages).filter(
    ([path, { dev }]) => path !== '' && !dev && existsSync(join(here, path)),
  )
  const within = expected
    .map(([path]) => path)
    .filter((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path))
  for (const path of within) mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(
    join(folder, 'node_modules/.package-lock.json'),
    JSON.stringify({ ...lock, packages: Object.fromEntries(expected) }),
  )
  return within.map((path) => ({ from: join(here, path), to: join(folder, path) }))
}

/** `a b ./`: each of the first into the last. A folder's content is copied, as Docker does. */
function copy(stage: Stage, rest: string, stages: Map<string, Stage>): void {
  const words = rest.split(' ')
  const [, alias] = /^--from=(\w+)$/.exec(words[0] ?? '') ?? []
  const from =
    alias === undefined ? null : (stages.get(alias) ?? assert.fail(`There is no stage ${alias}`))
  const sources = words.slice(from ? 1 : 0, -1)
  const last = words.at(-1) ?? ''
  const to = join(stage.root, resolve(stage.folder, last))
  for (const source of sources) {
    if (!from) assert.ok(isSent(source), `.dockerignore leaves ${source} out`)
    const file = from ? join(from.root, source) : join(here, source)
    const isFolder = statSync(file).isDirectory()
    cpSync(file, isFolder || !last.endsWith('/') ? to : join(to, source), {
      recursive: true,
      filter: (path) => from !== null || !path.startsWith(join(here, 'web', 'dist')),
    })
  }
}

/** What it does not name stays out; `web/dist` is its one exception within a folder. */
function isSent(source: string): boolean {
  const ignore = readFileSync(join(here, '.dockerignore'), 'utf8').trim().split('\n')
  assert.equal(ignore[0], '*')
  assert.deepEqual(
    ignore.slice(1).filter((line) => !line.startsWith('!')),
    ['web/dist'],
  )
  return ignore.includes(`!${source}`)
}
