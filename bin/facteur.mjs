#!/usr/bin/env node
// The command `facteur`: the service and the operator's command line.
import { launchService } from './launch.mjs'

const args = process.argv.slice(2)

// The service has a large nursery: what one request makes is garbage before it would be moved, and collecting costs half. A
// command grows its heap with what it holds and not with what it has thrown away: an import of a million people takes hardly
// more memory than one of ten thousand.
const flags = args[0] === 'start' ? ['--max-semi-space-size=32'] : ['--max-semi-space-size=8', '--heap-growing-percent=20']

await launchService({ flags, args, pages: servesPages(args) })

/** Whether the command is a start that has the role `api`, as all have that name none. */
function servesPages([command, ...options]) {
  if (command !== 'start' || options.includes('--help') || options.includes('-h')) return false
  return !options.some((option) => option.startsWith('--role')) || options.some((option) => /\bapi\b/.test(option))
}
