/** Shows on a contact's page what they can get of what is stored about them. */
import type { DataOffer } from '../../../core/audience/data-requests/data-offer.ts'
import { html, type Html } from '../../../ground/html.ts'
import { fill } from '../../../ground/texts/texts.ts'
import type { PublicTexts } from './texts.ts'

interface Offered {
  offer: DataOffer
  /** Of the unsubscribe link. */
  token: string
  names: { workspace: string; email: string }
}

export const showDataOffer = ({ offer, token, names }: Offered, t: PublicTexts): Html => html`
  <h2>${t.data}</h2>
  <p>${sayDataOffer(offer, names, t)}</p>
  ${offer.kind === 'mail' && button(`/preferences/${token}/data`, t.dataButton)}
  ${offer.kind === 'left' && button(`/preferences/${token}/erasure`, t.dataErasure)}
`

/** Also the evidence of what the contact saw. */
export function sayDataOffer(
  { kind, writeTo }: Pick<DataOffer, 'kind' | 'writeTo'>,
  names: Offered['names'],
  t: PublicTexts,
): string {
  const words = { mail: t.dataLead, left: t.dataLeftLead, write: t.dataWriteLead }
  return fill(words[kind], { ...names, contact: writeTo })
}

const button = (action: string, label: string): Html =>
  html`<form method="post" action="${action}"><button class="second">${label}</button></form>`
