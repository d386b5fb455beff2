// Puts src/main.ts, the threads that it starts, and all they need into a few files: `node
// bin/bundle.mjs FOLDER`.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { rolldown } from 'rolldown'

const folder = process.argv[2]

/** A module starts a thread by the place of its file beside itself. */
const thread = /new Worker\(\s*new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g

const threads = Object.fromEntries(
  globSync('src/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(thread)].map(([, name]) => [
      name,
      join(dirname(file), `${name}.ts`),
    ]),
  ),
)

/**
 * Modules read files beside their source: the bundle gives them that place. Threads are beside the
 * program.
 */
const placesOfModules = {
  name: 'places-of-modules',
  transform: {
    filter: { id: /\/src\//, code: /import\.meta/ },
    handler(code, id) {
      const place = JSON.stringify(relative(folder, id).split(sep).join('/'))
      const known = code
        .replaceAll(thread, (_, name) => `new Worker(new URL('./${name}.js', import.meta['url'])`)
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
        .replaceAll("import.meta['url']", 'import.meta.url')
      const unknown = /import\.meta(?!\.url\b)\S*/.exec(known)
      if (unknown) throw new Error(`${id}: only import.meta.url is known here, not ${unknown[0]}`)
      return known
    },
  },
}

const bundle = await rolldown({
  input: { main: 'src/main.ts', ...threads },
  platform: 'node',
  plugins: [placesOfModules],
})
await bundle.write({
  dir: folder,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
})
await bundle.close()
