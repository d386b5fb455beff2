/** Builds `client/dist` from `client/src`: JavaScript and types, for those who have neither this repository nor TypeScript sources. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
rmSync(join(here, 'dist'), { recursive: true, force: true })
const built = spawnSync(join(here, '..', 'node_modules', '.bin', 'tsc'), ['-p', here], { stdio: 'inherit' })
copyFileSync(join(here, '..', 'LICENSE'), join(here, 'LICENSE'))
process.exitCode = built.status ?? 1
