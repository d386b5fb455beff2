/** What was accepted survives the primary (semantics 1: Admit). */
import { failover } from './failover.ts'
import { failoverAsynchronous } from './failover-asynchronous.ts'
import { testScenario } from './scenario.ts'

testScenario(failover)
testScenario(failoverAsynchronous)
