/** Finds the form of a public address in its workspace's database, and whether it takes sign-ups now. */
import { formWithWorkspace, type FormWithWorkspace } from '../../db/forms/sign-up-forms.ts'
import { findAsker } from '../audience/consent/send-confirmation.ts'
import { ofWorkspace } from '../databases.ts'
import type { Service } from '../context.ts'
import { readFormId } from '../input/form-id.ts'
import { withTypes, type FormAsks } from './typed-asks.ts'

export interface FoundForm {
  workspaceId: number
  /** Of the workspace's database. */
  service: Service
  form: FormWithWorkspace & FormAsks
}

export async function findForm(home: Service, id: string): Promise<FoundForm | null> {
  const key = readFormId(id)
  if (key === null) return null
  const { workspaceId } = key
  const service = await ofWorkspace(home, workspaceId)
  const form = await formWithWorkspace(service.db, workspaceId, key.id)
  const [typed] = form ? await withTypes(service.db, workspaceId, [form]) : []
  return typed ? { workspaceId, service, form: typed } : null
}

/**
 * A form is closed by its workspace, or while no confirmation mail can be sent; the typed address
 * never matters.
 */
export const isFormOpen = async ({ workspaceId, service, form }: FoundForm): Promise<boolean> =>
  form.enabled && !('refusal' in (await findAsker(service, service.db, workspaceId)))
