/** The help under the list: which recipients at simulator.test simulate which outcome. */
import { simulators } from '../../../providers/local-capture/local-capture.ts'
import { html, type Html } from '../../../html.ts'
import type { CapturedTexts } from './texts.ts'

export const simulatorsHelp = (t: CapturedTexts, open: boolean): Html =>
  html` <details class="help" ${open && html` open`}>
    <summary>${t.simulators}</summary>
    <p>${t.simulatorsLead}</p>
    <table>
      <thead>
        <tr>
          <th scope="col">${t.address}</th>
          <th scope="col">${t.whatHappens}</th>
        </tr>
      </thead>
      <tbody>
        ${simulators.map(
          (name) =>
            html`<tr>
              <td>
                <code>${name}@<wbr />simulator.test</code>
              </td>
              <td>${t.simulator[name]}</td>
            </tr>`,
        )}
        <tr>
          <td>${t.anyOther}</td>
          <td>${t.simulator.delivered}</td>
        </tr>
      </tbody>
    </table>
  </details>`
