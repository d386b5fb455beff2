/**
 * Reads a file with a secret that the operator named: what was given as its path may be the secret
 * itself, so no refusal shows it.
 */
import { readFileSync } from 'node:fs'
import { OperatorError } from './operator-error.ts'

/**
 * `source`: the setting or flag that names the file. `path` 0 is standard input. Throws
 * `OperatorError`.
 */
export function readSecretFile(source: string, path: string | 0): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new OperatorError(
      `${source} names no file that can be read (${code}). Its value is not shown, since it may be the secret.`,
    )
  }
}
