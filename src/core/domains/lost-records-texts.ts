/** What a workspace is told when DNS records of a domain are gone. */
import type { NoticeTexts } from '../workspaces/notify-workspace.ts'
import type { ExpectedRecord } from './expected-records.ts'

/** `stops`: the domain is no longer verified. */
export function lostRecordsTexts({
  domain,
  records,
  stops,
}: {
  domain: string
  records: Pick<ExpectedRecord, 'type' | 'name' | 'value'>[]
  stops: boolean
}): NoticeTexts {
  const list = records.map(({ type, name, value }) => `${name}\n${type} ${value}`).join('\n\n')
  return {
    fr: {
      subject: stops ? `${domain} n'est plus vérifié` : `des enregistrements DNS de ${domain} ont disparu`,
      paragraphs: [
        `Depuis plus d'un jour, ces enregistrements de ${domain} ne sont plus dans le DNS, ou ont changé :`,
        list,
        stops
          ? "Sans eux, rien ne prouve que le domaine est à vous : les nouveaux messages de ce domaine sont refusés. Remettez-les : le domaine est vérifié de nouveau dans l'heure."
          : "Les messages partent toujours, mais sans ce que ces enregistrements permettent. Remettez-les : ils sont retrouvés dans l'heure.",
      ],
    },
    en: {
      subject: stops ? `${domain} is no longer verified` : `DNS records of ${domain} are gone`,
      paragraphs: [
        `For more than a day these records of ${domain} have been gone from DNS, or were changed:`,
        list,
        stops
          ? 'Without them nothing proves that the domain is yours: new messages from it are refused. Put them back: the domain is verified again within the hour.'
          : 'Messages still leave, without what these records are for. Put them back: they are found within the hour.',
      ],
    },
  }
}
