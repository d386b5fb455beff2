/** The checks of campaign-worker-killed notice each broken variant. */
import { testBroken } from './scenario.ts'
import { campaignWorkerKilled } from './campaign-worker-killed.ts'

testBroken(campaignWorkerKilled)
