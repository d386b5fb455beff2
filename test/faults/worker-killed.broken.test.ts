/** The checks of worker-killed notice each broken variant. */
import { testBroken } from './scenario.ts'
import { workerKilled } from './worker-killed.ts'

testBroken(workerKilled)
