// Puts together what the image has in /app, after bin/build.mjs: `node bin/image.mjs FOLDER`. It
// has no packages and cannot build.
import { chmodSync, cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allocatorSettings, commandFlags, serviceFlagsFor } from './flags.mjs'
import { ensureProgram } from './program.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const image = process.argv[2]

const program = dirname(await ensureProgram(root, process.execPath))
cpSync(program, join(image, 'dist', 'program'), {
  recursive: true,
  filter: (path) => !path.endsWith('compiled'),
})
// The code of the sources is in the program: it reads styles, icons and examples beside them.
const read = globSync('src/**/*.*', { cwd: root }).filter((path) => !/\.(?:ts|json)$/.test(path))
// package.json says that files are modules.
for (const path of [...read, 'migrations', 'web/dist', 'bin/health.mjs', 'package.json'])
  cpSync(join(root, path), join(image, path), { recursive: true })

/** `exec`, so that Node itself gets SIGTERM. */
const start = (flags) => `exec node ${flags.join(' ')} /app/dist/program/main.js "$@"`
const allocator = Object.entries(allocatorSettings).map((setting) => setting.join('='))
// The machine that builds the image says nothing of the memory where it will run.
const serviceFlags = serviceFlagsFor(Infinity)
const command = join(image, 'bin', 'facteur')
mkdirSync(dirname(command), { recursive: true })
writeFileSync(
  command,
  `#!/bin/sh\nexport ${allocator.join(' ')}\nif [ "$1" = start ]; then ${start(serviceFlags)}; fi\n${start(commandFlags)}\n`,
)
chmodSync(command, 0o755)
