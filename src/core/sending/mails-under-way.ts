/**
 * Counts the single mails of each workspace that this process works on. Their admissions and their
 * outcomes are statements that callers share: both know by it how many callers there are, and how
 * many outcomes are still to come. One half of the callers is handed over while the other is
 * admitted or recorded.
 */
import type { UnderWay } from '../context.ts'

export interface MailsUnderWay {
  /** Those that are being admitted, handed over or recorded. */
  all(workspaceId: number): number
  /** Those among them whose hand-off has not ended. */
  atProvider(workspaceId: number): number
  /** Counts one until `ended` is called. */
  begin(workspaceId: number): UnderWay
}

export function createMailsUnderWay(): MailsUnderWay {
  const counts = new Map<number, { all: number; atProvider: number }>()
  return {
    all: (workspaceId) => counts.get(workspaceId)?.all ?? 0,
    atProvider: (workspaceId) => counts.get(workspaceId)?.atProvider ?? 0,
    begin(workspaceId) {
      const count = counts.get(workspaceId) ?? { all: 0, atProvider: 0 }
      counts.set(workspaceId, count)
      count.all++
      let isAtProvider = false
      const move = (to: boolean): void => {
        count.atProvider += Number(to) - Number(isAtProvider)
        isAtProvider = to
      }
      return {
        handOff: () => move(true),
        handedOff: () => move(false),
        ended() {
          move(false)
          if (--count.all === 0) counts.delete(workspaceId)
        },
      }
    },
  }
}
