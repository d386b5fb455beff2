// Puts src/main.ts and all it needs into a few files: `node bin/bundle.mjs FOLDER`.
import { relative, sep } from 'node:path'
import { rolldown } from 'rolldown'

const folder = process.argv[2]

/** What our modules read beside themselves stays where it is: they are told where they were. */
const placesOfModules = {
  name: 'places-of-modules',
  transform: {
    filter: { id: /\/src\//, code: /import\.meta/ },
    handler(code, id) {
      const place = JSON.stringify(relative(folder, id).split(sep).join('/'))
      const known = code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
      const unknown = /import\.meta(?!\.url\b)\S*/.exec(known)
      if (unknown) throw new Error(`${id}: only import.meta.url is known here, not ${unknown[0]}`)
      return known
    },
  },
}

const bundle = await rolldown({ input: 'src/main.ts', platform: 'node', plugins: [placesOfModules] })
await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
await bundle.close()
