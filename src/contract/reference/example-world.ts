/** What the examples of the reference name: where the service is, and objects that are there. Tests put in those of a running service. */

export interface ExampleWorld {
  /** Without a slash at the end. */
  baseUrl: string
  /** A time to which a message can be moved. */
  later: string
  /** For a parameter of a path: the identifier by the word before it. */
  ids: Record<string, string>
}

/** As people read it: the identifiers are of no workspace. */
export const documentedWorld = (baseUrl: string): ExampleWorld => ({
  baseUrl,
  later: '2026-12-24T08:00:00Z',
  ids: {
    emails: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    subscribers: 'camille@example.com',
    campaigns: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e42',
    webhooks: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e43',
    deliveries: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e44',
  },
})
