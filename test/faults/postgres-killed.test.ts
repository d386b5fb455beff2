/** A mail answered with 202 is durable (semantics 1: Admit). */
import { postgresKilled } from './postgres-killed.ts'
import { testScenario } from './scenario.ts'

testScenario(postgresKilled)
