/** Starts the pages: language, theme, the query cache and the router. */
import { MantineProvider } from '@mantine/core'
import '@mantine/core/styles.layer.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueries } from './api/queries.ts'
import { startLanguage } from './language.ts'
import { router } from './router.tsx'
import './theme/style.css'
import { theme, variables } from './theme/theme.ts'

/**
 * The policy of this answer allows styles that are made at run time and carry this nonce (CSP3
 * 7.2).
 */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

// The library that stops the page from scrolling behind a dialog reads the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const root = document.getElementById('root')
if (!root) throw new Error('The page has no place to draw in')

// No module may wait here for others that are loaded from here, since these would wait for it.
void startLanguage().then(() =>
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={createQueries()}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  ),
)
