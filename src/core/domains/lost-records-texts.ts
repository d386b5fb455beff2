/** Writes the notice to a workspace when DNS records of a domain are gone. */
import { noticeTexts, type NoticeTexts } from '../notices/notice-texts.ts'
import type { ExpectedRecord } from '../domain-records/expected-records.ts'

/** `stops`: the domain is no longer verified. */
export function lostRecordsTexts({
  domain,
  records,
  stops,
}: {
  domain: string
  records: Pick<ExpectedRecord, 'type' | 'name' | 'value'>[]
  stops: boolean
}): NoticeTexts {
  const list = records.map(({ type, name, value }) => `${name}\n${type} ${value}`).join('\n\n')
  return noticeTexts(
    ({ lostRecords: t }) => ({
      subject: stops ? t.subjectStops : t.subject,
      paragraphs: [t.lead, '{{list}}', stops ? t.whatNowStops : t.whatNow],
    }),
    { domain, list },
  )
}
