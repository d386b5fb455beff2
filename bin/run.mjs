// Runs a file of the project for those who work on it: `node bin/run.mjs [node's flags] FILE
// [arguments]`. `--as-service` stands for the flags of the service.
import { serviceFlags } from './flags.mjs'
import { launch } from './launch.mjs'

const given = process.argv.slice(2)
const at = given.findIndex((argument) => !argument.startsWith('-'))
const flags = given
  .slice(0, at)
  .flatMap((flag) => (flag === '--as-service' ? serviceFlags : [flag]))
await launch({ flags, file: given[at], args: given.slice(at + 1) })
