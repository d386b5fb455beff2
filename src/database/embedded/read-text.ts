/** Reads what may not be there: a file, and what a program says. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Null when the file cannot be read. */
export const textOfFile = (path: string): string | null => orNull(() => readFileSync(path, 'utf8'))

/** The standard output without white space around it; null when the program fails. */
export const outputOf = (program: string, args: string[]): string | null =>
  orNull(() =>
    execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim(),
  )

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
