/** Creates a demo workspace at the very first start; its mail stays in the capture mailbox. */
import { allScopes } from '../../contract/scopes.ts'
import { allWorkspaces } from '../../db/workspaces/workspaces.ts'
import { insertDomain, verifyDomain } from '../../db/domains/domains.ts'
import { upsertSender } from '../../db/workspaces/senders.ts'
import type { Service } from '../context.ts'
import { chooseDatabase } from '../databases.ts'
import { makeApiKey } from './make-api-key.ts'
import { createWorkspace } from './create-workspace.ts'

export interface Demo {
  workspace: string
  key: string
  sender: string
}

/** Returns null when workspaces exist already, or another process was faster. */
export async function prepareDemo(ctx: Service): Promise<Demo | null> {
  if ((await allWorkspaces(ctx.db)).length > 0) return null
  const databaseId = await chooseDatabase(ctx.db)
  const { db } = await ctx.databases.at(databaseId)
  return db.transaction(async (tx) => {
    const inside = { db: tx, makeId: ctx.makeId }
    const workspace = await createWorkspace(inside, { name: 'demo', databaseId })
    if (!workspace) return null
    await insertDomain(tx, workspace.id, 'demo.test')
    await verifyDomain(tx, workspace.id, 'demo.test')
    const sender = await upsertSender(tx, workspace.id, {
      id: ctx.makeId(),
      name: 'Demo',
      email: 'hello@demo.test',
    })
    const { key } = await makeApiKey(inside, {
      workspaceId: workspace.id,
      name: 'demo',
      scopes: [...allScopes],
      expiresAt: null,
    })
    return { workspace: workspace.slug, key, sender: sender.email }
  })
}
