/** Rates, idempotency and quota over all processes (semantics 1, 4). */
import { testScenario } from './scenario.ts'
import { twoProcesses } from './two-processes.ts'

testScenario(twoProcesses)
