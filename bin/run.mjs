// Runs a file of the project for those who work on it: `node bin/run.mjs [node's flags] FILE
// [arguments]`. `--as-service` stands for the flags of the service.
import { serviceFlags } from './flags.mjs'
import { launch } from './launch.mjs'

const argv = process.argv.slice(2)
const at = argv.findIndex((argument) => !argument.startsWith('-'))
const flags = argv.slice(0, at).flatMap((flag) => (flag === '--as-service' ? serviceFlags : [flag]))
await launch({ flags, file: argv[at], args: argv.slice(at + 1) })
