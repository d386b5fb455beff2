/** POST /emails with Idempotency-Key against crashes of the API (semantics 1: Idempotency). */
import { oneKey } from './one-key.ts'
import { testScenario } from './scenario.ts'

testScenario(oneKey)
