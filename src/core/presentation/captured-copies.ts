/** Finds the captured copies of mails that were handed over, so that their pages lead there. */
import { capturedCopiesOf, type HandedOver } from '../../db/captured/captured-mails.ts'
import type { CallContext } from '../context.ts'

type Mail = Omit<HandedOver, 'sentAt'> & { sentAt: Date | null }

/** Answers the identifier of a mail's copy; null where there is none, or not any more. */
export async function findCapturedCopies(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  mails: readonly Mail[],
): Promise<(mail: Pick<Mail, 'mailId' | 'recipient'>) => string | null> {
  const handedOver = mails.filter((mail): mail is HandedOver => mail.sentAt !== null)
  const copies = handedOver.length === 0 ? [] : await capturedCopiesOf(db, workspaceId, handedOver)
  const byMail = new Map(copies.map((copy) => [`${copy.mailId} ${copy.recipient}`, copy.id]))
  return ({ mailId, recipient }) => byMail.get(`${mailId} ${recipient}`) ?? null
}
