/**
 * The built pages of the workspace, from web/dist into memory: the page, into which a nonce is
 * written, and its files.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'

export interface BuiltFile {
  type: string
  plain: Buffer
  /** Compressed by the build; null where that would not pay. */
  br: Buffer | null
  gzip: Buffer | null
}

/** The frame of a workspace's pages, with its menu, or of a user's: sign-in, account. */
export type Shell = 'shell-workspace' | 'shell-person'

export interface BuiltPages {
  /**
   * The page, for one answer. `shell`: the frame that the browser shows until the script has
   * loaded.
   */
  index(page: { nonce: string; shell: Shell }): string
  /** By the name below /app/assets/. */
  files: ReadonlyMap<string, BuiltFile>
}

const folder = new URL('../../../web/dist/', import.meta.url)

/** The placeholder of the build for the nonce (web/build/vite-config.ts). */
const noncePlace = 'nonce-of-this-answer'

/** The placeholder in web/index.html for the kind of the shell. */
const shellPlace = 'shell-of-this-page'

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/**
 * Without `npm start`, the pages may not be built: the API still works, and the pages name the
 * remedy.
 */
export function readBuiltPages(): BuiltPages {
  const page = new URL('index.html', folder)
  if (!existsSync(page)) return { index: () => notBuilt, files: new Map() }
  const template = readFileSync(page, 'utf8')
  const index: BuiltPages['index'] = ({ nonce, shell }) =>
    template.replace(shellPlace, shell).replaceAll(noncePlace, nonce)
  return { index, files: readFiles() }
}

function readFiles(): Map<string, BuiltFile> {
  const assets = new URL('assets/', folder)
  const names = readdirSync(assets)
  const read = (name: string): Buffer | null =>
    names.includes(name) ? readFileSync(new URL(name, assets)) : null
  return new Map(
    names
      .filter((name) => !/\.(?:br|gz)$/.test(name))
      .map((name) => {
        const type = types[extname(name)] ?? 'application/octet-stream'
        return [
          name,
          {
            type,
            plain: readFileSync(new URL(name, assets)),
            br: read(`${name}.br`),
            gzip: read(`${name}.gz`),
          },
        ]
      }),
  )
}

const notBuilt =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Facteur</title><p>The pages of the workspace are not built: run "npm run build", then start the service again.</p></html>'
