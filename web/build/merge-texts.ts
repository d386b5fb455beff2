/** `virtual:texts/en` and `virtual:texts/fr`: all texts of one language as one module, by area. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'vite'

const prefix = 'virtual:texts/'

export function mergeTexts(folder: string): Plugin {
  return {
    name: 'texts',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return null
      const files = readdirSync(join(folder, id.slice(prefix.length + 1))).filter((file) => file.endsWith('.json'))
      const paths = files.map((file) => join(folder, id.slice(prefix.length + 1), file))
      for (const path of paths) this.addWatchFile(path)
      const texts: unknown[] = paths.map((path) => JSON.parse(readFileSync(path, 'utf8')))
      return `export default ${JSON.stringify(Object.fromEntries(files.map((file, at) => [basename(file, '.json'), texts[at]])))}`
    },
  }
}
