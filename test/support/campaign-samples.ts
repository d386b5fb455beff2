/**
 * A workspace, a campaign and a recipient for the tests of rendering; each test changes what it is
 * about.
 */
import type {
  MergeRecipient,
  CampaignToCompile,
  PersonalTokens,
  Template,
} from '../../src/mail/merge/compiled-campaign.ts'
import { campaignMessageId } from '../../src/mail/campaign/campaign-headers.ts'
import { openTemplate } from '../../src/mail/campaign/campaign-template.ts'
import { compileCampaign } from '../../src/mail/campaign/compile-campaign.ts'
import { validateContent, type ContentToValidate } from '../../src/mail/content/validate-content.ts'

export const campaignId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'
export const subscriberId = '019aa5a1-8000-7d42-8a6f-4c2a7d3e9f51'

export const tokens: PersonalTokens = {
  unsubscribe: 'U'.repeat(64),
  view: 'V'.repeat(64),
  track: 'T'.repeat(64),
}

export const camille: MergeRecipient = {
  email: 'camille@example.com',
  firstName: 'Camille',
  lastName: 'Dupont',
  fields: { city: 'Lyon' },
  tokens,
  messageId: campaignMessageId({ campaignId, subscriberId, domain: 'demo.test' }),
  date: new Date('2026-11-21T08:30:00Z'),
}

export type Content = Omit<ContentToValidate, 'subject'> & { subject?: string }

/** As a creation and a send would make it. */
export function campaignOf(
  content: Content,
  changes: Partial<CampaignToCompile> = {},
): CampaignToCompile {
  return {
    campaignId,
    workspace: {
      id: 1,
      name: 'Boutique Démo',
      slug: 'demo',
      postalAddress: '1 rue de la Paix\n75002 Paris',
    },
    from: { name: 'Boutique', address: 'hello@demo.test' },
    returnPathHost: null,
    baseUrl: 'https://mail.example.com',
    language: 'fr',
    trackOpens: true,
    trackClicks: true,
    ...validateContent({ subject: 'Des nouvelles', ...content }),
    ...changes,
  }
}

/** By way of JSON, as the database stores it. */
export function templateOf(content: Content, changes: Partial<CampaignToCompile> = {}): Template {
  return openTemplate(JSON.parse(JSON.stringify(compileCampaign(campaignOf(content, changes)))))
}

/** Every kind of block, as a document would show it. */
export const blockSamples = {
  heading: [
    { type: 'heading', text: 'Bonjour {{firstName | default: "à tous"}}', align: 'center' },
    { type: 'heading', text: 'Ce mois-ci', level: 2, color: '#B91C1C' },
  ],
  paragraph: [
    {
      type: 'paragraph',
      text: 'Trois **choses *très* neuves** & <autres> :\n[voir ici](https://example.com/a?b=1&c={{email}}), https://example.com/liste.\n5 * 3 * 2, \\*sic\\*.',
    },
  ],
  image: [
    {
      type: 'image',
      src: 'https://example.com/cover.png',
      alt: 'La "boutique"',
      href: 'https://example.com/',
      align: 'center',
    },
    { type: 'image', url: 'https://example.com/{{fields.city}}.png', width: 120 },
  ],
  button: [
    { type: 'button', text: 'Voir la liste', href: 'https://example.com/liste', align: 'center' },
    {
      type: 'button',
      label: 'Écrire',
      url: 'mailto:hello@demo.test?subject={{firstName}}',
      background: '#facc15',
    },
  ],
  divider: [{ type: 'divider' }, { type: 'divider', color: '#ff0000' }],
  list: [
    { type: 'list', items: ['Un', '**Deux** et [trois](https://example.com/3)'] },
    { type: 'list', items: ['Premier', 'Second\nsur deux lignes'], ordered: true },
  ],
  quote: [{ type: 'quote', text: 'Merci *mille fois*.\n{{firstName}}' }],
  spacer: [
    { type: 'paragraph', text: 'Avant' },
    { type: 'spacer', height: 40 },
    { type: 'paragraph', text: 'Après' },
  ],
  html: [
    {
      type: 'html',
      html: '<p onclick="x()">À la main<script>x()</script> : <a href="https://example.com/h">lien</a></p>',
    },
  ],
  columns: [
    {
      type: 'columns',
      columns: [
        [
          { type: 'heading', text: 'À gauche', level: 3 },
          { type: 'paragraph', text: 'Une colonne.' },
        ],
        { blocks: [{ type: 'image', src: 'https://example.com/droite.png', alt: 'À droite' }] },
      ],
    },
  ],
} as const
