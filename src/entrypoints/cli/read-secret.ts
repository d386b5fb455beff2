/**
 * Reads a secret for a command from a variable, a file or standard input, and never from an
 * argument, which every user of the machine can see.
 */
import { readSecretFile } from '../../ground/secret-file.ts'
import type { CommandContext } from './command.ts'
import { textFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'

export const secretFlags = {
  'secret-env': textFlag('NAME', 'The environment variable that holds the secret.'),
  'secret-file': textFlag('FILE', 'The file that holds it; - is standard input.'),
}

/** Null when none was named. White space around it is not part of it. */
export function readSecret(
  ctx: Pick<CommandContext, 'readVariable'>,
  env: string | null,
  file: string | null,
  flags = 'secret',
): string | null {
  if (env !== null && file !== null)
    throw new CommandRefusal('usage', `Give --${flags}-env or --${flags}-file, not both.`)
  if (env !== null)
    return (
      ctx.readVariable(env) ??
      missing(`The environment variable that --${flags}-env names is not set or empty.`)
    )
  if (file === null) return null
  // Standard input has the descriptor 0.
  return (
    readSecretFile(`--${flags}-file`, file === '-' ? 0 : file).trim() ||
    missing(`The file that --${flags}-file names is empty.`)
  )
}

function missing(why: string): never {
  throw new CommandRefusal('refused', why)
}
