/** Builds `client/dist` from `client/src`: JavaScript and types, for those who have neither TypeScript nor our sources. Run by `npm run docs`. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
rmSync(join(here, 'dist'), { recursive: true, force: true })
const { status } = spawnSync(join(here, '..', 'node_modules', '.bin', 'tsc'), ['-p', here], { stdio: 'inherit' })
process.exitCode = status ?? 1
