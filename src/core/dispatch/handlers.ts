/** Maps every operation to its verb. A missing verb, or one that returns another shape, does not compile. */
import type { Handlers } from './handler.ts'
import { createCampaign } from '../campaigns/create-campaign.ts'
import { createDraft } from '../campaigns/drafts/create-draft.ts'
import { getDraft } from '../campaigns/drafts/get-draft.ts'
import { listDraftChoices } from '../campaigns/drafts/list-draft-choices.ts'
import { preflightDraft } from '../campaigns/drafts/preflight-draft.ts'
import { previewDraftPage } from '../campaigns/drafts/preview-draft-page.ts'
import { previewDraft } from '../campaigns/drafts/preview-draft.ts'
import { saveDraft } from '../campaigns/drafts/save-draft.ts'
import { sendDraftTest } from '../campaigns/drafts/send-draft-test.ts'
import { exportCampaignRecipients } from '../campaigns/run/export-campaign-recipients.ts'
import { exportCampaignResults } from '../campaigns/run/export-campaign-results.ts'
import { getCampaignRun } from '../campaigns/run/get-campaign-run.ts'
import { getCampaignHeatMap } from '../campaigns/run/get-campaign-heat-map.ts'
import { getCampaignReach } from '../campaigns/run/get-campaign-reach.ts'
import { getCampaignResults } from '../campaigns/run/get-campaign-results.ts'
import { listCampaignRecipients } from '../campaigns/run/list-campaign-recipients.ts'
import { steering } from '../campaigns/run/steer-campaign.ts'
import { getCampaignStats } from '../campaigns/get-campaign-stats.ts'
import { getCampaign } from '../campaigns/get-campaign.ts'
import { listCampaigns } from '../campaigns/list-campaigns.ts'
import { searchCampaigns } from '../campaigns/search-campaigns.ts'
import { sendCampaign } from '../campaigns/send-campaign.ts'
import { cancelEmail } from '../emails/cancel-email.ts'
import { getEmail } from '../emails/get-email.ts'
import { listEmails } from '../emails/list-emails.ts'
import { sendEmailBatch } from '../emails/send-email-batch.ts'
import { sendEmail } from '../emails/send-email.ts'
import { updateEmail } from '../emails/update-email.ts'
import { getSession } from '../users/get-session.ts'
import { signIn } from '../users/sign-in.ts'
import { askPasskey } from '../users/ask-passkey.ts'
import { signInWithPasskey } from '../users/sign-in-with-passkey.ts'
import { signOut } from '../users/sign-out.ts'
import { confirmIdentity } from '../users/confirm-identity.ts'
import { confirmIdentityWithPasskey } from '../users/confirm-identity-with-passkey.ts'
import { listSessions } from '../users/list-sessions.ts'
import { endSession } from '../users/end-session.ts'
import { endOtherSessions } from '../users/end-other-sessions.ts'
import { getSetUp } from '../workspaces/get-set-up.ts'
import { setUp } from '../workspaces/set-up.ts'
import { askForReset } from '../users/ask-for-reset.ts'
import { getReset } from '../users/get-reset.ts'
import { resetPassword } from '../users/reset-password.ts'
import { updateMe } from '../users/update-me.ts'
import { getWaysIn } from '../users/get-ways-in.ts'
import { changePassword } from '../users/change-password.ts'
import { askNewPasskey } from '../users/ask-new-passkey.ts'
import { addPasskey } from '../users/add-passkey.ts'
import { removePasskey } from '../users/remove-passkey.ts'
import { beginTotp } from '../users/begin-totp.ts'
import { confirmTotp } from '../users/confirm-totp.ts'
import { removeTotp } from '../users/remove-totp.ts'
import { renewRecoveryCodes } from '../users/renew-recovery-codes.ts'
import { addWorkspace } from '../workspaces/add-workspace.ts'
import { getInvitation } from '../members/get-invitation.ts'
import { acceptInvitation } from '../members/accept-invitation.ts'
import { listMembers } from '../members/list-members.ts'
import { changeRole } from '../members/change-role.ts'
import { removeMember } from '../members/remove-member.ts'
import { leaveWorkspace } from '../members/leave-workspace.ts'
import { listInvitations } from '../members/list-invitations.ts'
import { inviteMember } from '../members/invite-member.ts'
import { withdrawInvitation } from '../members/withdraw-invitation.ts'
import { listAudit } from '../members/list-audit.ts'
import { listMyWorkspaces } from '../users/list-my-workspaces.ts'
import { addImage } from '../images/add-image.ts'
import { listImages } from '../images/list-images.ts'
import { discardImport } from '../imports/discard-import.ts'
import { downloadRefusals } from '../imports/download-refusals.ts'
import { getImport } from '../imports/get-import.ts'
import { listImports } from '../imports/list-imports.ts'
import { startImport } from '../imports/start-import.ts'
import { stopImport } from '../imports/stop-import.ts'
import { tryImport } from '../imports/try-import.ts'
import { uploadImport } from '../imports/upload-import.ts'
import { forgetContact } from '../contacts/forget-contact.ts'
import { getContact } from '../contacts/get-contact.ts'
import { listContactMails } from '../contacts/list-contact-mails.ts'
import { listContactEngagement } from '../contacts/list-contact-engagement.ts'
import { defineSubscriberField } from '../subscribers/define-subscriber-field.ts'
import { deleteSubscriberField } from '../subscribers/delete-subscriber-field.ts'
import { editSubscriber } from '../subscribers/edit-subscriber.ts'
import { enrolSubscriber } from '../subscribers/enrol-subscriber.ts'
import { exportSubscribers } from '../subscribers/export-subscribers.ts'
import { findSubscribers } from '../subscribers/find-subscribers.ts'
import { listSubscriberFields } from '../subscribers/list-subscriber-fields.ts'
import { listSubscriberTags } from '../subscribers/list-subscriber-tags.ts'
import { renameSubscriberField } from '../subscribers/rename-subscriber-field.ts'
import { addSubscriber } from '../subscribers/add-subscriber.ts'
import { removeSubscriber } from '../subscribers/remove-subscriber.ts'
import { getSubscriber } from '../subscribers/get-subscriber.ts'
import { listSubscribers } from '../subscribers/list-subscribers.ts'
import { listMessages } from '../messages/list-messages.ts'
import { getMessage } from '../messages/get-message.ts'
import { getMessageHtml } from '../messages/get-message-html.ts'
import { getMessageRaw } from '../messages/get-message-raw.ts'
import { getMessageFile } from '../messages/get-message-file.ts'
import { listMessageDeliveries } from '../messages/list-message-deliveries.ts'
import { sendMessageAgain } from '../messages/send-message-again.ts'
import { importSuppression } from '../suppression/import-suppression.ts'
import { downloadSuppressionRefusals } from '../suppression/download-suppression-refusals.ts'
import { getSuppressionImport } from '../suppression/get-suppression-import.ts'
import { listSuppressionImports } from '../suppression/list-suppression-imports.ts'
import { reopenAddress } from '../suppression/reopen-address.ts'
import { listCapturedMails } from '../captured/list-captured-mails.ts'
import { getCapturedMail } from '../captured/get-captured-mail.ts'
import { getCapturedHtml } from '../captured/get-captured-html.ts'
import { getCapturedRaw } from '../captured/get-captured-raw.ts'
import { getCapturedFile } from '../captured/get-captured-file.ts'
import { addSuppression } from '../suppression/add-suppression.ts'
import { listSuppression } from '../suppression/list-suppression.ts'
import { checkWebhookUrl } from '../webhooks/check-webhook-url.ts'
import { countWebhookReplay } from '../webhooks/count-webhook-replay.ts'
import { createWebhook } from '../webhooks/create-webhook.ts'
import { deleteWebhook } from '../webhooks/delete-webhook.ts'
import { getEvent } from '../webhooks/get-event.ts'
import { getWebhookDelivery } from '../webhooks/get-webhook-delivery.ts'
import { getWebhook } from '../webhooks/get-webhook.ts'
import { listEventKinds } from '../webhooks/list-event-kinds.ts'
import { listEvents } from '../webhooks/list-events.ts'
import { listWebhookDeliveries } from '../webhooks/list-webhook-deliveries.ts'
import { listWebhookHealth } from '../webhooks/list-webhook-health.ts'
import { listWebhookJournal } from '../webhooks/list-webhook-journal.ts'
import { listWebhooks } from '../webhooks/list-webhooks.ts'
import { replayWebhookDelivery } from '../webhooks/replay-webhook-delivery.ts'
import { replayWebhookEvents } from '../webhooks/replay-webhook-events.ts'
import { rotateWebhookSecret } from '../webhooks/rotate-webhook-secret.ts'
import { testWebhook } from '../webhooks/test-webhook.ts'
import { updateWebhookRules } from '../webhooks/update-webhook-rules.ts'
import { updateWebhook } from '../webhooks/update-webhook.ts'
import { listApiKeys } from '../workspaces/list-api-keys.ts'
import { createApiKey } from '../workspaces/create-api-key.ts'
import { revokeApiKey } from '../workspaces/revoke-api-key.ts'
import { listDomains } from '../domains/list-domains.ts'
import { addDomain } from '../domains/add-domain.ts'
import { getDomain } from '../domains/get-domain.ts'
import { checkDomain } from '../domains/check-domain.ts'
import { rotateDomainKeys } from '../domains/rotate-domain-keys.ts'
import { removeDomain } from '../domains/remove-domain.ts'
import { listSenders } from '../workspaces/list-senders.ts'
import { listForms } from '../forms/list-forms.ts'
import { createForm } from '../forms/create-form.ts'
import { deleteForm } from '../forms/delete-form.ts'
import { getForm } from '../forms/get-form.ts'
import { updateForm } from '../forms/update-form.ts'
import { previewForm } from '../forms/preview-form.ts'
import { previewFormMail } from '../forms/preview-form-mail.ts'
import { addSender } from '../workspaces/add-sender.ts'
import { updateSender } from '../workspaces/update-sender.ts'
import { removeSender } from '../workspaces/remove-sender.ts'
import { getSettings } from '../workspaces/get-settings.ts'
import { updateSettings } from '../workspaces/update-settings.ts'
import { getAccount } from '../workspaces/get-account.ts'
import { getOverview } from '../workspaces/get-overview.ts'
import { getApiMap } from '../workspaces/get-api-map.ts'

export const handlers: Handlers = {
  getApiMap,
  getOverview,
  getAccount,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  listDomains,
  addDomain,
  getDomain,
  checkDomain,
  rotateDomainKeys,
  removeDomain,
  listSenders,
  addSender,
  updateSender,
  removeSender,
  listForms,
  createForm,
  getForm,
  updateForm,
  deleteForm,
  previewForm,
  previewFormMail,
  getSettings,
  updateSettings,
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
  listMessages,
  getMessage,
  getMessageHtml,
  getMessageRaw,
  getMessageFile,
  listMessageDeliveries,
  sendMessageAgain,
  importSuppression,
  getSuppressionImport,
  downloadSuppressionRefusals,
  listSuppressionImports,
  reopenAddress,
  listCapturedMails,
  getCapturedMail,
  getCapturedHtml,
  getCapturedRaw,
  getCapturedFile,
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
  getCampaignRun,
  getCampaignReach,
  ...steering,
  listCampaignRecipients,
  exportCampaignRecipients,
  getCampaignResults,
  exportCampaignResults,
  getCampaignHeatMap,
  searchCampaigns,
  listDraftChoices,
  createDraft,
  getDraft,
  saveDraft,
  previewDraft,
  previewDraftPage,
  preflightDraft,
  sendDraftTest,
  listImages,
  addImage,
  listWebhookHealth,
  updateWebhookRules,
  checkWebhookUrl,
  listEventKinds,
  listWebhookJournal,
  getWebhookDelivery,
  countWebhookReplay,
  getEvent,
  getSession,
  listMyWorkspaces,
  signIn,
  askPasskey,
  signInWithPasskey,
  signOut,
  confirmIdentity,
  confirmIdentityWithPasskey,
  listSessions,
  endSession,
  endOtherSessions,
  getSetUp,
  setUp,
  askForReset,
  getReset,
  resetPassword,
  updateMe,
  getWaysIn,
  changePassword,
  askNewPasskey,
  addPasskey,
  removePasskey,
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
  addWorkspace,
  getInvitation,
  acceptInvitation,
  listMembers,
  changeRole,
  removeMember,
  leaveWorkspace,
  listInvitations,
  inviteMember,
  withdrawInvitation,
  listAudit,
  findSubscribers,
  exportSubscribers,
  enrolSubscriber,
  editSubscriber,
  listSubscriberTags,
  listSubscriberFields,
  defineSubscriberField,
  renameSubscriberField,
  deleteSubscriberField,
  getContact,
  listContactMails,
  listContactEngagement,
  forgetContact,
  uploadImport,
  listImports,
  getImport,
  tryImport,
  startImport,
  stopImport,
  discardImport,
  downloadRefusals,
}
