/** The checks of webhook-delivered notice each broken variant. */
import { testBroken } from './scenario.ts'
import { webhookDelivered } from './webhook-delivered.ts'

testBroken(webhookDelivered)
