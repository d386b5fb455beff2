/** Reads the version of this program, as its package names it. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRecord, parseJson } from './read-json.ts'

export function programVersion(): string {
  const read = parseJson(
    readFileSync(join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'package.json'), 'utf8'),
  )
  return isRecord(read) && typeof read['version'] === 'string' ? read['version'] : 'unknown'
}
