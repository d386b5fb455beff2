/** What is answered 202 is kept (semantics 1: Admit). */
import { postgresKilled } from './postgres-killed.ts'
import { testScenario } from './scenario.ts'

testScenario(postgresKilled)
