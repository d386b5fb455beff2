/** Writes the notice to a workspace when one of its webhooks failed for days and was disabled. */
import { noticeTexts, type NoticeTexts } from '../notices/notice-texts.ts'

export const disabledTexts = (webhook: { name: string; url: string }): NoticeTexts =>
  noticeTexts(({ webhookDisabled }) => webhookDisabled, webhook)
