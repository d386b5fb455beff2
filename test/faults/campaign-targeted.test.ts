/** The freeze of a targeted campaign against crashes (semantics 2). */
import { campaignTargeted } from './campaign-targeted.ts'
import { testScenario } from './scenario.ts'

testScenario(campaignTargeted)
