/** GET /captured/{id}: a captured mail as a mail program shows it. */
import { readHeaderLines } from '../presentation/read-header-lines.ts'
import { presentLinks } from './present-links.ts'
import { findCaptured } from './find-captured.ts'
import { presentCaptured } from './list-captured-mails.ts'
import { parseCapturedMail } from './read-mail.ts'
import type { Verb } from '../verb.ts'

export const getCapturedMail: Verb<'getCapturedMail'> = async (ctx, { params }) => {
  const { entry, mail } = await findCaptured(ctx, params.id)
  const read = await parseCapturedMail(ctx, { raw: mail.raw, question: { want: 'page' } })
  return {
    body: {
      ...presentCaptured(entry),
      return_path: mail.returnPath,
      readable: read !== null,
      text: read?.text ?? null,
      has_html: read?.hasHtml ?? false,
      links: await presentLinks(ctx, read?.links ?? []),
      headers: readHeaderLines(mail.raw),
      files: read?.files.map((file, position) => ({ position, ...file })) ?? [],
    },
  }
}
