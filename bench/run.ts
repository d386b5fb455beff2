/**
 * `npm run bench -- NAME [options]`: runs bench/NAME.ts, which reads its own options; without a
 * name, lists them.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const [name = ''] = process.argv.splice(2, 1)
const file = join(import.meta.dirname, `${name}.ts`)

if (/^[a-z-]+$/.test(name) && name !== 'run' && existsSync(file)) {
  await import(file)
} else {
  console.error(`Usage: npm run bench -- NAME [--json]\nNAME: ${names().join(', ')}`)
  process.exitCode = 2
}

function names(): string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'run.ts')
    .map((entry) => entry.name.replace('.ts', ''))
}
