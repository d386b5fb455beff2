/** The ledger against crashes of the workers (semantics 2). */
import { testPromise } from './scenario.ts'
import { workerKilled } from './worker-killed.ts'

testPromise(workerKilled)
