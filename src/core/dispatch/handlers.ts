/** Which verb performs which operation; a missing one, or one that answers another shape, does not compile. */
import type { Handlers } from './handler.ts'
import { createCampaign } from '../campaigns/create-campaign.ts'
import { getCampaignStats } from '../campaigns/get-campaign-stats.ts'
import { getCampaign } from '../campaigns/get-campaign.ts'
import { listCampaigns } from '../campaigns/list-campaigns.ts'
import { sendCampaign } from '../campaigns/send-campaign.ts'
import { cancelEmail } from '../emails/cancel-email.ts'
import { getEmail } from '../emails/get-email.ts'
import { listEmails } from '../emails/list-emails.ts'
import { sendEmailBatch } from '../emails/send-email-batch.ts'
import { sendEmail } from '../emails/send-email.ts'
import { updateEmail } from '../emails/update-email.ts'
import { getSession } from '../people/get-session.ts'
import { listMyWorkspaces } from '../people/list-my-workspaces.ts'
import { addSubscriber } from '../subscribers/add-subscriber.ts'
import { removeSubscriber } from '../subscribers/remove-subscriber.ts'
import { getSubscriber } from '../subscribers/get-subscriber.ts'
import { listSubscribers } from '../subscribers/list-subscribers.ts'
import { addSuppression } from '../suppression/add-suppression.ts'
import { listSuppression } from '../suppression/list-suppression.ts'
import { createWebhook } from '../webhooks/create-webhook.ts'
import { deleteWebhook } from '../webhooks/delete-webhook.ts'
import { getWebhook } from '../webhooks/get-webhook.ts'
import { listEvents } from '../webhooks/list-events.ts'
import { listWebhookDeliveries } from '../webhooks/list-webhook-deliveries.ts'
import { listWebhooks } from '../webhooks/list-webhooks.ts'
import { replayWebhookDelivery } from '../webhooks/replay-webhook-delivery.ts'
import { replayWebhookEvents } from '../webhooks/replay-webhook-events.ts'
import { rotateWebhookSecret } from '../webhooks/rotate-webhook-secret.ts'
import { testWebhook } from '../webhooks/test-webhook.ts'
import { updateWebhook } from '../webhooks/update-webhook.ts'
import { getAccount } from '../workspaces/get-account.ts'
import { getApiMap } from '../workspaces/get-api-map.ts'

export const handlers: Handlers = {
  getApiMap,
  getAccount,
  sendEmail,
  sendEmailBatch,
  listEmails,
  getEmail,
  updateEmail,
  cancelEmail,
  listSubscribers,
  addSubscriber,
  getSubscriber,
  removeSubscriber,
  listSuppression,
  addSuppression,
  listCampaigns,
  createCampaign,
  getCampaign,
  sendCampaign,
  getCampaignStats,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  listWebhookDeliveries,
  replayWebhookDelivery,
  replayWebhookEvents,
  rotateWebhookSecret,
  listEvents,
  getSession,
  listMyWorkspaces,
}
