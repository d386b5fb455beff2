/** Webhooks against crashes of workers and of who changes things (spec: Delivery rules). */
import { testScenario } from './scenario.ts'
import { webhookTold } from './webhook-told.ts'

testScenario(webhookTold)
