/** A campaign is sent once, however many ask for it (spec: Campaign status). */
import { campaignSentOnce } from './campaign-sent-once.ts'
import { testScenario } from './scenario.ts'

testScenario(campaignSentOnce)
