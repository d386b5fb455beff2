/** What a workspace is told when its sending is suspended, and when it goes on. */
import type { StandingRow } from '../../db/standing.ts'
import { share } from '../sending/refusal-details.ts'
import type { NoticeTexts } from './notify-workspace.ts'

export function suspendedTexts({ handOffs, bounces, complaints }: StandingRow): NoticeTexts {
  const percent = (language: 'fr' | 'en', part: number): string =>
    new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 }).format(share(part, handOffs))
  return {
    fr: {
      subject: "l'envoi est suspendu",
      paragraphs: [
        `Sur les ${handOffs} messages remis ces 30 derniers jours, ${bounces} sont revenus parce que l'adresse n'existe pas (${percent('fr', bounces)}) et ${complaints} ont été signalés comme indésirables (${percent('fr', complaints)}). L'envoi est suspendu au-dessus de 5 % de retours ou de 0,1 % de plaintes.`,
        "Rien de nouveau n'est accepté et les campagnes en cours sont en pause. Ce qui avait été accepté part encore.",
        "L'envoi reprend de lui-même quand les taux des 30 derniers jours redescendent, ou plus tôt si l'exploitant du service le rétablit. Avant cela, cherchez d'où viennent ces adresses : une liste ancienne ou achetée, un formulaire sans confirmation.",
      ],
    },
    en: {
      subject: 'sending is suspended',
      paragraphs: [
        `Of the ${handOffs} messages handed over in the last 30 days, ${bounces} came back because the address does not exist (${percent('en', bounces)}) and ${complaints} were reported as spam (${percent('en', complaints)}). Sending is suspended above 5 % of bounces or 0.1 % of complaints.`,
        'Nothing new is accepted, and campaigns on their way are paused. What had been accepted still goes.',
        'Sending goes on by itself when the rates of the last 30 days fall again, or sooner if the operator of the service restores it. Until then, look for where these addresses come from: an old or bought list, a form without confirmation.',
      ],
    },
  }
}

export const resumedTexts: NoticeTexts = {
  fr: {
    subject: "l'envoi reprend",
    paragraphs: [
      "L'envoi n'est plus suspendu : les messages sont de nouveau acceptés.",
      'Les campagnes mises en pause le restent : reprenez-les quand vous le voulez.',
    ],
  },
  en: {
    subject: 'sending goes on',
    paragraphs: [
      'Sending is no longer suspended: messages are accepted again.',
      'Campaigns that were paused stay so: let them go on when you want.',
    ],
  },
}
