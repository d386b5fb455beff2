/**
 * Everything that fails on hosts: each kind of fault, the partitioned worker, and the broken
 * variants, which the checks notice.
 */
import { after } from 'node:test'
import { testBroken, testPromise } from '../../faults/scenario.ts'
import { hostScenarios } from '../host-scenarios.ts'
import { hostsOfProcess } from '../hosts-world.ts'
import { lostReceiver } from '../lost-receiver.ts'

// First those that share their processes, then those whose processes have a broken variant.
// The lost receiver has a file of its own.
for (const scenario of hostScenarios) if (scenario !== lostReceiver) testPromise(scenario)
// The sweep plays those that take minutes (`npm run sweep -- hosts-half-open`).
const slow = 'connect.timeouts'
for (const scenario of hostScenarios)
  testBroken({ ...scenario, broken: scenario.broken.filter((name) => name !== slow) })

after(async () => (await hostsOfProcess()).close())
