/**
 * Writes the documents that the contract generates: `docs/openapi.json`, `docs/api.md`, the guides,
 * and the client's types and routes. `npm run docs` runs it.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { clientSource } from './client-source.ts'
import { openApi } from './openapi.ts'
import { reference } from './reference.ts'
import { limitsPage } from './reference/limits-part.ts'
import { retentionPage } from './reference/retention-part.ts'
import { guides, standAlone } from './reference/guides.ts'

/** The address of a first start, which the generated documents use. */
const baseUrl = 'http://127.0.0.1:3025'

/** The generated documents: path below the repository's root, content. */
export const documents = (): Record<string, string> => ({
  'docs/openapi.json': `${JSON.stringify(openApi(baseUrl), null, 2)}\n`,
  'docs/api.md': reference(baseUrl),
  ...Object.fromEntries(guides(baseUrl).map((guide) => [`docs/${guide.file}`, standAlone(guide)])),
  'docs/limits.md': limitsPage(),
  'docs/retention.md': retentionPage(),
  ...clientSource(),
})

if (import.meta.main) {
  const root = new URL('../../', import.meta.url)
  await mkdir(new URL('docs/', root), { recursive: true })
  for (const [path, content] of Object.entries(documents()))
    await writeFile(new URL(path, root), content)
}
