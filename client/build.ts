/**
 * Builds `client/dist` from `client/src`: JavaScript and types, for those who have neither
 * TypeScript nor our sources. Run by `npm run docs`.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
/** Elsewhere only for who compares. */
const [folder = join(here, 'dist')] = process.argv.slice(2)
rmSync(folder, { recursive: true, force: true })
const { status } = spawnSync(
  join(here, '..', 'node_modules', '.bin', 'tsc'),
  ['-p', here, '--outDir', folder],
  {
    stdio: 'inherit',
  },
)
// The compiler writes the names of modules anew in JavaScript, and leaves them as they are in
// types.
for (const file of globSync(join(folder, '*.d.ts')))
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
process.exitCode = status ?? 1
