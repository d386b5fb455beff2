/** Keys of texts are typed: one that is missing does not compile. */
import type texts from './texts/en.json'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'shell'
    fallbackNS: 'shell'
    resources: typeof texts
  }
}
