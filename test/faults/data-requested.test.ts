/** Requests of contacts for their data against crashes. */
import { dataRequested } from './data-requested.ts'
import { testScenario } from './scenario.ts'

testScenario(dataRequested)
