/** Writes docs/command-line.md. Run by `npm run docs`. */
import { writeFile } from 'node:fs/promises'
import { commands } from './commands.ts'
import { commandReference } from './reference.ts'

if (import.meta.main)
  await writeFile(
    new URL('../../../docs/command-line.md', import.meta.url),
    commandReference(commands),
  )
