#!/usr/bin/env node
// The command `facteur`: the service and the operator's command line.
import { launch } from './launch.mjs'

const args = process.argv.slice(2)

// The service has a large nursery: what one request makes is garbage before it would be moved, and collecting costs half. A
// command grows its heap with what it holds and not with what it has thrown away: an import of a million people takes hardly
// more memory than one of ten thousand.
const flags = args[0] === 'start' ? ['--max-semi-space-size=32'] : ['--max-semi-space-size=8', '--heap-growing-percent=20']

await launch({ flags, file: 'src/main.ts', args, development: false })
