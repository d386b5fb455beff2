#!/usr/bin/env node
// The command `facteur`: the service and the operator's command line.
import { commandFlags, serviceFlags } from './flags.mjs'
import { launchService } from './launch.mjs'

const args = process.argv.slice(2)

const flags = args[0] === 'start' ? serviceFlags : commandFlags

await launchService({ flags, args, pages: servesPages(args) })

/** Whether the command is a start that has the role `api`, as all have that name none. */
function servesPages([command, ...options]) {
  if (command !== 'start' || options.includes('--help') || options.includes('-h')) return false
  return (
    !options.some((option) => option.startsWith('--role')) ||
    options.some((option) => /\bapi\b/.test(option))
  )
}
