/** The campaign ledger against crashes of the workers (semantics 2). */
import { campaignWorkerKilled } from './campaign-worker-killed.ts'
import { testPromise } from './scenario.ts'

testPromise(campaignWorkerKilled)
