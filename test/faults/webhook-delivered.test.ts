/** Webhooks against crashes of workers and of who changes things (spec: Delivery rules). */
import { testPromise } from './scenario.ts'
import { webhookDelivered } from './webhook-delivered.ts'

testPromise(webhookDelivered)
