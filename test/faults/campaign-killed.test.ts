/** The campaign ledger against crashes of everything around it (semantics 2). */
import { campaignKilled } from './campaign-killed.ts'
import { testScenario } from './scenario.ts'

testScenario(campaignKilled)
