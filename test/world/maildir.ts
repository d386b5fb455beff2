/** A mailbox as mail servers store it: a folder with a file for each mail. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../support/until.ts'

/**
 * The mail of this message (its Message-ID begins with the message's id), once it is there; the
 * test's own time ends the wait.
 */
export async function mailOf(folder: string, id: string): Promise<Buffer> {
  const arrived = join(folder, 'new')
  return until(() => {
    const names = existsSync(arrived) ? readdirSync(arrived) : []
    return names
      .map((name) => readFileSync(join(arrived, name)))
      .find((bytes) => bytes.includes(`\nMessage-ID: <${id}`))
  })
}
