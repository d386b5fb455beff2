/** Names what a contact was asked, answered or chose. */
import { consentActs } from '../../../contract/workspace/contacts.ts'

/** The table's own check, and the verbs that write, allow no other value. */
export function consentActOf(act: string): (typeof consentActs)[number] {
  const match = consentActs.find((name) => name === act)
  if (!match) throw new Error(`Consent of an unknown kind: ${act}`)
  return match
}
