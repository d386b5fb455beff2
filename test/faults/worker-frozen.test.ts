/** Leases and fences against a frozen process (semantics 2). */
import { testScenario } from './scenario.ts'
import { workerFrozen } from './worker-frozen.ts'

testScenario(workerFrozen)
