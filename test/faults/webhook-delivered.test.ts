/** Webhooks against crashes of workers and of who changes things (spec: Delivery rules). */
import { testScenario } from './scenario.ts'
import { webhookDelivered } from './webhook-delivered.ts'

testScenario(webhookDelivered)
