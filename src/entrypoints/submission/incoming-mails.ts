/**
 * Counts the mails that the clients of each workspace hand in now, so that those which are on their
 * way together are read and admitted together: a small group costs a thread and the database nearly
 * as much as a large one.
 */
import type { Sending } from '../../core/context.ts'

/** A mail from the reply to DATA on. Each may be said twice. */
export interface IncomingMail {
  /** The final dot came. */
  whole(): void
  /** The thread has read it: it asks for its admission. */
  read(): void
  /** Its client has the reply. */
  answered(): void
}

export type IncomingMails = ReturnType<typeof createIncomingMails>

export function createIncomingMails(expect: Sending['expect']) {
  const counts = new Map<number, { all: number; coming: number }>()
  return {
    /** Those without a reply. */
    all: (workspaceId: number): number => counts.get(workspaceId)?.all ?? 0,
    /** Those whose final dot has not come. */
    coming: (workspaceId: number): number => counts.get(workspaceId)?.coming ?? 0,
    begin(workspaceId: number): IncomingMail {
      const count = counts.get(workspaceId) ?? { all: 0, coming: 0 }
      counts.set(workspaceId, count)
      count.all++
      count.coming++
      const whole = once(() => count.coming--)
      const read = once(expect(workspaceId).ended)
      const answered = once(() => {
        if (--count.all === 0) counts.delete(workspaceId)
      })
      return {
        whole,
        read,
        answered() {
          whole()
          read()
          answered()
        },
      }
    },
  }
}

function once(work: () => unknown): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
