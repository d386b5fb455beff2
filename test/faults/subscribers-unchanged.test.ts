/** The audience of campaigns is not touched by single sends. */
import { testScenario } from './scenario.ts'
import { subscribersUnchanged } from './subscribers-unchanged.ts'

testScenario(subscribersUnchanged)
