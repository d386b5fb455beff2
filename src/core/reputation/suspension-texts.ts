/** Writes the notices to a workspace when its sending is suspended, and when it resumes. */
import type { AccountStatusRow } from '../../db/workspaces/account-status.ts'
import type { Language } from '../../texts/texts.ts'
import { noticeTexts, type NoticeTexts } from '../notices/notice-texts.ts'
import { share } from './account-status.ts'

export function suspendedTexts({ handOffs, bounces, complaints }: AccountStatusRow): NoticeTexts {
  const percent = (language: Language, part: number): string =>
    new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 }).format(share(part, handOffs))
  return noticeTexts(
    ({ suspended }) => suspended,
    (language) => ({
      ...{ handOffs: String(handOffs), bounces: String(bounces), complaints: String(complaints) },
      ...{ bounceRate: percent(language, bounces), complaintRate: percent(language, complaints) },
    }),
  )
}

export const resumedTexts: NoticeTexts = noticeTexts(({ resumed }) => resumed)
