/** The memory of the mails that this process takes by SMTP, until each has its reply. */
import type { MailMemory } from '../../mail/smtp-server/read-incoming-mail.ts'

/** A mail that is larger than all of it is taken alone. */
export function createMailMemory(bytesMax: number): { enter(): MailMemory } {
  let usedBytes = 0
  return {
    enter() {
      let own = 0
      return {
        retain(bytes) {
          if (usedBytes + bytes > bytesMax && usedBytes !== own) return false
          usedBytes += bytes
          own += bytes
          return true
        },
        release(bytes) {
          usedBytes -= bytes
          own -= bytes
        },
      }
    },
  }
}
