/** What a workspace is told when a webhook of it has failed for days and was disabled. */
import type { NoticeTexts } from '../workspaces/notify-workspace.ts'

export const disabledTexts = ({ name, url }: { name: string; url: string }): NoticeTexts => ({
  fr: {
    subject: 'un webhook a été désactivé',
    paragraphs: [
      `Le webhook « ${name} » (${url}) n'a plus répondu par un succès depuis trois jours : il a été désactivé, comme cet espace de travail l'a demandé.`,
      'Son journal est conservé. Réparez le service qui le reçoit, réactivez le webhook, puis faites rejouer la période manquée : les événements sont gardés trente jours.',
    ],
  },
  en: {
    subject: 'a webhook was disabled',
    paragraphs: [
      `The webhook "${name}" (${url}) has not answered with a success for three days: it was disabled, as this workspace asked for.`,
      'Its journal is kept. Mend the service that receives it, enable the webhook, then replay the time that was missed: events are kept for thirty days.',
    ],
  },
})
