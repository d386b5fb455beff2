/**
 * Moves the styles of the program behind the shell of the page, which a browser then draws without
 * waiting for them (HTML 4.2.4, render-blocking).
 */
import type { Plugin } from 'vite'

export const stylesLast = (): Plugin => ({
  name: 'styles-last',
  transformIndexHtml: {
    order: 'post',
    handler(page) {
      const links = page.match(/<link rel="stylesheet"[^>]*>/g) ?? []
      if (links.length === 0) throw new Error('The page has no styles to move')
      const rest = links.reduce((text, link) => text.replace(link, ''), page)
      // The program runs once these are there, because a deferred script waits for the styles
      // before it.
      return rest.replace('</body>', `  ${links.join('')}\n  </body>`)
    },
  },
})
