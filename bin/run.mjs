// Runs a file of the project for those who work on it: `node bin/run.mjs [node's flags] FILE [arguments]`.
import { launch } from './launch.mjs'

const given = process.argv.slice(2)
const at = given.findIndex((argument) => !argument.startsWith('-'))
await launch({ flags: given.slice(0, at), file: given[at], args: given.slice(at + 1) })
