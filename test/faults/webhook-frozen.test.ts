/**
 * The journal of webhooks against a worker that was given up and comes back (docs/decisions/0017).
 */
import { webhookFrozen } from './webhook-frozen.ts'
import { testScenario } from './scenario.ts'

testScenario(webhookFrozen)
