/** The service as operators run it: `src/main.ts` and all it needs in a few files. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The variable that `test/run.ts` sets for the test processes. */
export const PROGRAM = 'FACTEUR_TEST_PROGRAM'

/** Its file, put together where it is missing or stale. */
export const programFile = process.env[PROGRAM] ?? buildProgram()

function buildProgram(): string {
  const build = join(import.meta.dirname, '..', '..', 'bin', 'build.mjs')
  return execFileSync(process.execPath, [build], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  }).trim()
}
