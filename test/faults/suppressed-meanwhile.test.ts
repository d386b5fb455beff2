/** Suppression against sending (semantics 2). */
import { testScenario } from './scenario.ts'
import { suppressedMeanwhile } from './suppressed-meanwhile.ts'

testScenario(suppressedMeanwhile)
