/** All scenarios that are played on hosts in namespaces. */
import type { Scenario } from '../faults/scenario.ts'
import { faultScenarios } from './fault-scenarios.ts'
import { lostReceiver } from './lost-receiver.ts'
import { partitionedWorker } from './partitioned-worker.ts'

export const hostScenarios: Scenario[] = [...faultScenarios, lostReceiver, partitionedWorker]
