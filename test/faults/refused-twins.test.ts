/** POST /emails that the provider refuses, with twins and crashes (semantics 1: Idempotency). */
import { refusedTwins } from './refused-twins.ts'
import { testScenario } from './scenario.ts'

testScenario(refusedTwins)
