#!/usr/bin/env node
// The command `facteur`: the service and the operator's command line.
import { launch } from './launch.mjs'

// A larger nursery: what one request makes is garbage before it would be moved, and collecting costs half.
await launch({ flags: ['--max-semi-space-size=32'], file: 'src/main.ts', args: process.argv.slice(2), development: false })
