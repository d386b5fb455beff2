/** The nonce that this answer's policy lets styles carry which are made at run time (CSP3 7.2). */

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

// Where the library that keeps the page from scrolling behind a dialog looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce })

export const styleNonce = (): string => nonce
