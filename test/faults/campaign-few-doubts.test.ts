/** Doubt after crashes is of those alone whose final dot was begun (docs/decisions/0039). */
import { campaignFewDoubts } from './campaign-few-doubts.ts'
import { testScenario } from './scenario.ts'

testScenario(campaignFewDoubts)
