/** The campaign ledger against workers that were given up and come back (semantics 2). */
import { campaignFrozen } from './campaign-frozen.ts'
import { testScenario } from './scenario.ts'

testScenario(campaignFrozen)
