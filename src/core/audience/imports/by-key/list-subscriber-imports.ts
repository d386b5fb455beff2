/** GET /subscribers/imports: imports of files, by keys, users and commands, newest first. */
import type { Verb } from '../../../verb.ts'
import { listImports } from '../list-imports.ts'

export const listSubscriberImports: Verb<'listSubscriberImports'> = async (ctx, input) => {
  const { body } = await listImports(ctx, input)
  // A key reads what became of files, and not which user brought them.
  return { body: { ...body, data: body.data.map(({ person: _brought, ...entry }) => entry) } }
}
