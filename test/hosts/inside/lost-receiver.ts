/** The receiver that is lost, on hosts of its own. */
import { after } from 'node:test'
import { testPromise } from '../../faults/scenario.ts'
import { hostsOfProcess } from '../hosts-world.ts'
import { lostReceiver } from '../lost-receiver.ts'

testPromise(lostReceiver)

after(async () => (await hostsOfProcess()).close())
