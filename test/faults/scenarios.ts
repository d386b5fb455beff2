/** All scenarios of the crash sweep, in the order in which it plays them. */
import { backendsTerminated } from './backends-terminated.ts'
import { campaignFewDoubts } from './campaign-few-doubts.ts'
import { campaignFrozen } from './campaign-frozen.ts'
import { campaignKilled } from './campaign-killed.ts'
import { campaignSentOnce } from './campaign-sent-once.ts'
import { campaignSuppressed } from './campaign-suppressed.ts'
import { campaignTargeted } from './campaign-targeted.ts'
import { campaignWorkerKilled } from './campaign-worker-killed.ts'
import { contactsChanged } from './contacts-changed.ts'
import { dataRequested } from './data-requested.ts'
import { failover } from './failover.ts'
import { failoverAsynchronous } from './failover-asynchronous.ts'
import { oneKey } from './one-key.ts'
import { postgresKilled } from './postgres-killed.ts'
import { refusedTwins } from './refused-twins.ts'
import { serviceKilled } from './service-killed.ts'
import { subscribersUnchanged } from './subscribers-unchanged.ts'
import { suppressedMeanwhile } from './suppressed-meanwhile.ts'
import { twoProcesses } from './two-processes.ts'
import { webhookFrozen } from './webhook-frozen.ts'
import { webhookDelivered } from './webhook-delivered.ts'
import { workerFrozen } from './worker-frozen.ts'
import { workerKilled } from './worker-killed.ts'
import type { Scenario } from './scenario.ts'

export const scenarios: Scenario[] = [
  oneKey,
  refusedTwins,
  workerKilled,
  workerFrozen,
  serviceKilled,
  postgresKilled,
  backendsTerminated,
  failover,
  failoverAsynchronous,
  twoProcesses,
  suppressedMeanwhile,
  subscribersUnchanged,
  campaignSentOnce,
  campaignWorkerKilled,
  campaignFewDoubts,
  campaignFrozen,
  campaignSuppressed,
  campaignTargeted,
  campaignKilled,
  contactsChanged,
  dataRequested,
  webhookDelivered,
  webhookFrozen,
]
