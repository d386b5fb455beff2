/** Stores by which form a new contact came. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'

/** In the transaction that adds the contact. The language is that of the form's page. */
export async function recordOrigin(
  tx: Database,
  workspaceId: number,
  { id, formId, language }: { id: string; formId: string; language: RecipientLanguage | null },
): Promise<void> {
  await tx.count(sql`
    update subscriber
    set form_id = ${formId}, language = coalesce(language, ${language})
    where workspace_id = ${workspaceId} and id = ${id}`)
}
