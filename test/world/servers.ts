/**
 * The common parts of this world's mail servers: their folders, their mailboxes' user, and the wait
 * for their answer.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { until } from '../support/until.ts'

/** Every mailbox is this user's, who has no other part (namespace.sh). */
export const mailboxUser = 'reader'
const home = process.env['FACTEUR_WORLD_HOME'] ?? ''

export interface MailServer {
  /** The folder of a mailbox. */
  mailbox(name: string): string
}

/** A folder of this world's, of this user. */
export function makeFolder(name: string, user = 'root'): string {
  const folder = join(home, name)
  mkdirSync(folder, { recursive: true })
  spawnSync('chown', [user, folder])
  return folder
}

export const whyNot = (program: string): string | false =>
  existsSync(program) ? false : `skipped: ${program} is not there (sh test/world/fetch-servers.sh)`

/** Until something says good day at port 25 there. */
export async function untilGreeted(host: string): Promise<void> {
  await until(async () => {
    const socket = connect(25, host)
    const isUp = await new Promise<boolean>((resolve) =>
      socket.once('data', () => resolve(true)).once('error', () => resolve(false)),
    )
    socket.destroy()
    return isUp
  })
}
