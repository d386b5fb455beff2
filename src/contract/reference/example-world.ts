/**
 * Defines the objects in the reference's examples: the service's address and identifiers. Tests use
 * those of a running service.
 */

export interface ExampleWorld {
  /** Without a slash at the end. */
  baseUrl: string
  /** A time that a message can be rescheduled to. */
  later: string
  /**
   * For a path parameter: the identifier by the preceding word. A draft, and a campaign on its way,
   * have words of their own.
   */
  ids: Record<string, string>
}

/** The world of the published reference: its identifiers exist in no workspace. */
export const documentedWorld = (baseUrl: string): ExampleWorld => ({
  baseUrl,
  later: '2026-12-24T08:00:00Z',
  ids: {
    emails: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    captured: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e41',
    subscribers: 'camille@example.com',
    imports: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e47',
    campaigns: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e42',
    drafts: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e45',
    sending: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e46',
    domains: 'demo.test',
    webhooks: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e43',
    deliveries: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e44',
  },
})
