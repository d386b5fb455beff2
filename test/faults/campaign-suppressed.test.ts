/** Suppression against sending, in campaigns (semantics 2). */
import { campaignSuppressed } from './campaign-suppressed.ts'
import { testScenario } from './scenario.ts'

testScenario(campaignSuppressed)
