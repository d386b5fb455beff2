/** Everything that fails on hosts: each kind of fault, the partitioned worker, and the broken variants, which the checks notice. */
import { after } from 'node:test'
import { testBroken, testPromise } from '../../faults/scenario.ts'
import { hostScenarios } from '../host-scenarios.ts'
import { hostsOfProcess } from '../hosts-world.ts'

// First those that share their processes, then those whose processes have a broken variant.
for (const scenario of hostScenarios) testPromise(scenario)
for (const scenario of hostScenarios) testBroken(scenario)

after(async () => (await hostsOfProcess()).close())
