/**
 * `virtual:texts/en` and `virtual:texts/fr` split a language's texts by area; the browser loads
 * each with its first page.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const prefix = 'virtual:texts/'

/** `folder` has one file for each language: `{area: {key: text}}`. */
export function splitTexts(folder: string): Plugin {
  return {
    name: 'texts',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return null
      const [language = '', area] = id.slice(prefix.length + 1).split('/')
      const areas: Record<string, unknown> = JSON.parse(
        readFileSync(join(folder, `${language}.json`), 'utf8'),
      )
      if (area !== undefined) return `export default ${JSON.stringify(areas[area])}`
      const loaders = Object.keys(areas).map(
        (name) =>
          `${JSON.stringify(name)}: () => import(${JSON.stringify(`${prefix}${language}/${name}`)})`,
      )
      return `export default { ${loaders.join(', ')} }`
    },
  }
}
