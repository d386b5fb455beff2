/** `virtual:texts/en` and `virtual:texts/fr`: the texts of one language by area, each loaded when a page of its area is first shown. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'vite'

const prefix = 'virtual:texts/'

export function splitTexts(folder: string): Plugin {
  return {
    name: 'texts',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return null
      const [language = '', area] = id.slice(prefix.length + 1).split('/')
      if (area !== undefined) return `export default ${readFileSync(join(folder, language, `${area}.json`), 'utf8')}`
      const areas = readdirSync(join(folder, language)).filter((file) => file.endsWith('.json'))
      const loaders = areas.map((file) => {
        const name = basename(file, '.json')
        return `${JSON.stringify(name)}: () => import(${JSON.stringify(`${prefix}${language}/${name}`)})`
      })
      return `export default { ${loaders.join(', ')} }`
    },
  }
}
