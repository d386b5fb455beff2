/**
 * The files of the API and of the crash sweep that say nothing about a cluster, with the reason.
 */
const ofItsOwn = 'it kills a PostgreSQL of its own'

export const notHere: Readonly<Record<string, string>> = {
  'test/faults/campaign-killed.test.ts': ofItsOwn,
  'test/faults/failover.test.ts': ofItsOwn,
  'test/faults/postgres-killed.test.ts': ofItsOwn,
  'test/faults/guards.test.ts': 'it reads files of code',
}
