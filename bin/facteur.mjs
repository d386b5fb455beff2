#!/usr/bin/env node
// The command `facteur`: the service and the operator's command line.
import { launch } from './launch.mjs'

await launch({ file: 'src/main.ts', args: process.argv.slice(2), development: false })
