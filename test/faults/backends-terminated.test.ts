/** The service against the loss of its connections. */
import { backendsTerminated } from './backends-terminated.ts'
import { testScenario } from './scenario.ts'

testScenario(backendsTerminated)
