// The flags of V8 with which the programs run.
import { totalmem } from 'node:os'

/**
 * The machine's, or the limit of our cgroup; without a limit the system answers 0, or a number
 * beyond any memory.
 */
const memory = Math.min(totalmem(), process.constrainedMemory?.() || Infinity)

/**
 * The service has a large nursery: the objects of one request are garbage before V8 would move
 * them, and collecting costs half. The old generation may grow to four times its live objects
 * before V8 marks it all: else V8 does that each second under load. Below 1.5 GB of memory neither
 * is affordable (src/ground/memory-bounds.ts).
 */
export const serviceFlagsFor = (bytes) =>
  bytes < 1536 * 1024 * 1024
    ? ['--max-semi-space-size=4']
    : ['--max-semi-space-size=32', '--heap-growing-percent=300']

export const serviceFlags = serviceFlagsFor(memory)

/**
 * A command grows its heap with what it holds and not with what it has thrown away: an import of a
 * million people takes hardly more memory than one of ten thousand.
 */
export const commandFlags = ['--max-semi-space-size=8', '--heap-growing-percent=20']

/**
 * The environment of the service's allocator: glibc gives large blocks back to the system when they
 * are freed. By default a burst of large mails stays with the process (mallopt(3),
 * M_MMAP_THRESHOLD).
 */
export const allocatorSettings = {
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '16777216',
}
