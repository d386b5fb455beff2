/**
 * The part of a destination's connections that one process may open, so that a limit holds over all
 * processes.
 *
 * Each process knows how many hand mail over and its place among them (destination-memory.ts). It
 * computes its part, and asks nobody: ten connections of three processes are four, three and three.
 * Where the processes are more than the connections, some have none, and their mail comes again to
 * another one. Which ones these are differs by destination.
 */

export interface ProcessShare {
  /** Processes that hand mail over. */
  count: number
  /** The place of this one, from 0 on. */
  index: number
}

/**
 * `turn`: a whole number of the destination. Null if the processes are not known, and none is
 * opened.
 */
export function shareOf(limit: number, share: ProcessShare | null, turn: number): number {
  if (share === null) return 0
  const { count, index } = share
  return Math.floor(limit / count) + ((index + turn) % count < limit % count ? 1 : 0)
}
