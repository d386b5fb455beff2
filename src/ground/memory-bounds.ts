/**
 * Limits the bytes of callers' data that a process holds at once, by the memory that it may use.
 */
import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'

const megabyte = 1024 * 1024

/**
 * Memory of the service itself, in bytes: all of it with the embedded database's share, and of V8's
 * heap.
 */
const ownMemory = 384 * megabyte
const ownHeap = 96 * megabyte
/**
 * The memory of a body until its call is answered, as multiples of its size. It exists as bytes,
 * text, values, files and message to the database, with garbage of each, and in an embedded
 * PostgreSQL. Text and values lie in V8's heap, with two bytes a character at worst.
 */
const copies = 12
const copiesInHeap = 4

/** A body that is larger than all of it is read alone. */
const retainedMin = 8 * megabyte
const retainedMax = 256 * megabyte

/**
 * Below it, memory goes to mails rather than to speed; `bin/flags.mjs` and the database's settings
 * follow it.
 */
const smallMemory = 1536 * megabyte

export interface Memory {
  /** The machine's memory or the limit of our cgroup, whichever is less. */
  total: number
  /** The most that V8's heap grows to (`--max-old-space-size`, or V8's own choice). */
  heap: number
}

/**
 * The memory that this process may use. Without a limit the system answers 0, or a number beyond
 * any memory.
 */
export function memoryOfProcess(): Memory {
  const limit = process.constrainedMemory()
  const total = totalmem()
  return {
    total: limit > 0 && limit < total ? limit : total,
    heap: getHeapStatistics().heap_size_limit,
  }
}

export const isMemorySmall = ({ total }: Memory): boolean => total < smallMemory

/** Bytes of bodies that a process holds at once. */
export const bodyBytesMax = ({ total, heap }: Memory): number =>
  Math.floor(
    Math.max(
      retainedMin,
      Math.min(retainedMax, (total - ownMemory) / copies, (heap - ownHeap) / copiesInHeap),
    ),
  )

/** Bytes of bodies of callers without key or session that a process holds at once, beside those. */
export const strangerBytesMax = (memory: Memory): number =>
  Math.min(16 * megabyte, Math.floor(bodyBytesMax(memory) / 4))

/**
 * Bytes of mails that the workers of a process hold at once, and of those that come by SMTP, beside
 * the bodies; one mail may exceed them.
 */
export const mailBytesMax = (memory: Memory): number =>
  Math.min(64 * megabyte, Math.floor(bodyBytesMax(memory) / 4))
