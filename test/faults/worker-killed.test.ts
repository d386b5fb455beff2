/** The ledger against crashes of the workers (semantics 2). */
import { testScenario } from './scenario.ts'
import { workerKilled } from './worker-killed.ts'

testScenario(workerKilled)
